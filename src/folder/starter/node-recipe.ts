/** A folder with a `package.json`: a server that is started, or pages that are built. */
import { join, posix } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import { procfileCommand } from './interpreted-recipes.ts';
import { frameworkOutcome, type Outcome } from './node-frameworks.ts';
import { installLines, type Manager, managerOf } from './node-install.ts';
import { type Package, readPackage } from './node-package.ts';
import { applicationsOf, buildOfWorkspace, type Workspace } from './node-workspaces.ts';
import { copyAll, copyBuilt, pagesStage, programStage, type Recipe } from './recipe.ts';
import { firstThere, portIn, readText } from './texts.ts';

/** Scripts that start a server for development only. */
const forDevelopment =
  /(?:^|\s|&)(?:vite(?! preview)|vitepress|react-scripts start|ng serve|vue-cli-service serve|webpack(?:-dev-server| serve)|parcel|docusaurus start|gatsby develop|eleventy --serve|(?:next|nuxt|astro) dev)(?:\s|$)/;
const usualMains = ['server.js', 'server.mjs', 'index.js', 'index.mjs', 'app.js', 'src/server.js', 'src/index.js'];
const ignored = ['node_modules', '.next', '.nuxt', '.output', '.svelte-kit', '.turbo'];
const usualPort = 3000;

type Plan = { outcome: Outcome; what: string; isGuess: boolean; needsTools: boolean };

/** Undefined without a package, and without a start script or a build. */
export function nodeRecipe(files: FolderFiles): Recipe | undefined {
  const root = readPackage(files);
  if (!root) return undefined;
  const app = applicationIn(files, root);
  if (!app) return undefined;
  const manager = managerOf(files, root);
  const plan = planOf({ ...files, folder: join(files.folder, app.folder) }, app.found, manager);
  if (!plan) return undefined;
  const { outcome, what, isGuess } = plan;
  const found = `${posix.join(app.folder, 'package.json')}, with ${what}`;
  const stages = stagesOf(files, root, app, plan, manager);
  if (outcome.kind === 'pages') return { found, lines: stages, port: 80, isGuess: false, ignored };
  const { command, port, env } = outcome;
  return { found, lines: stages, ...(env && { env }), command, port, isGuess, ignored };
}

/** The package itself, or the only application of its workspaces. */
function applicationIn(files: FolderFiles, root: Package): Workspace | undefined {
  const own = { folder: '.', found: root };
  if (root.scripts.start !== undefined) return own;
  const applications = applicationsOf(files, root);
  if (applications.length === 0) return own;
  return applications.length === 1 ? applications[0] : undefined;
}

function planOf(files: FolderFiles, found: Package, manager: Manager): Plan | undefined {
  const { scripts } = found;
  const { build } = scripts;
  const script = ['start:prod', 'start'].find((name) => isServer(scripts[name]));
  const outcome = build === undefined ? undefined : frameworkOutcome(files, build);
  if (script !== undefined) return startedByScript(files, found, { script, outcome, manager });
  if (outcome) return fromFramework(outcome, found);
  const file = mainOf(undefined, found.main, files);
  const isCompiled = /\b(?:tsc|tsup|esbuild|swc|babel)\b/.test(build ?? '') && found.main !== undefined;
  if (build !== undefined && !isCompiled) {
    const pages: Outcome = { kind: 'pages', output: 'dist', isSinglePage: true };
    return { outcome: pages, what: 'a build script; its pages are taken from dist/', isGuess: true, needsTools: false };
  }
  const main = isCompiled ? found.main : file;
  const command = main === undefined ? procfileCommand(files) : ['node', main];
  if (!command) return undefined;
  const said = portInSource(file, files);
  const server: Outcome = { kind: 'server', command, port: said ?? usualPort };
  return { outcome: server, what: main ?? 'packages', isGuess: said === undefined, needsTools: false };
}

function isServer(script: string | undefined): boolean {
  return script !== undefined && !forDevelopment.test(script);
}

function startedByScript(
  files: FolderFiles,
  found: Package,
  { script, outcome, manager }: { script: string; outcome: Outcome | undefined; manager: Manager },
): Plan {
  const text = found.scripts[script]!;
  const said = portIn(text, /(?:--port|-p)[= ](\d{2,5})\b/) ?? portInSource(mainOf(text, found.main, files), files);
  const framework = outcome?.kind === 'server' ? outcome : undefined;
  const port = said ?? framework?.port ?? usualPort;
  return {
    outcome: { kind: 'server', command: manager.run(script), port, ...(framework?.env && { env: framework.env }) },
    what: `its ${script} script`,
    isGuess: said === undefined && !framework,
    needsTools: text.split(/\s+/).some((word) => found.tools.has(word)),
  };
}

function fromFramework(outcome: Outcome, { tools }: Package): Plan {
  if (outcome.kind === 'pages') {
    const what = `a build script that makes pages (taken from ${outcome.output}/)`;
    return { outcome, what, isGuess: false, needsTools: false };
  }
  const { command } = outcome;
  const what = `a build script, started with ${command.join(' ')}`;
  return { outcome, what, isGuess: false, needsTools: command.some((word) => tools.has(word)) };
}

function stagesOf(files: FolderFiles, root: Package, app: Workspace, plan: Plan, manager: Manager): string[] {
  const { outcome, needsTools } = plan;
  const { build } = app.found.scripts;
  const isBuilt = build !== undefined;
  const installed = installLines(files, root, manager, {
    packages: isBuilt || needsTools ? 'all' : 'production',
    copy: isBuilt ? 'COPY . .' : copyAll,
  });
  const at = app.folder === '.' ? [] : [`WORKDIR ${posix.join('/app', app.folder)}`];
  if (!isBuilt) return [...programStage(manager.image), ...installed, ...at];
  const builds = app.folder === '.' ? manager.run('build').join(' ') : buildOfWorkspace(files, app);
  const first = [`FROM ${manager.image} AS build`, 'WORKDIR /app', ...installed];
  if (outcome.kind === 'pages') {
    const { output, isSinglePage } = outcome;
    const copy = `COPY --from=build ${posix.join('/app', app.folder, output)} /usr/share/nginx/html`;
    return [...first, `RUN ${builds}`, '', ...pagesStage(copy, { isSinglePage })];
  }
  const prune = needsTools ? '' : ` && ${manager.prune}`;
  return [...first, `RUN ${builds}${prune}`, '', ...programStage(manager.image), copyBuilt('/app', '/app'), ...at];
}

function mainOf(start: string | undefined, main: string | undefined, files: FolderFiles): string | undefined {
  const started = /(?:^|\s)(?:node|tsx|ts-node|nodemon|bun)\s(?:run\s|-\S+\s)*([\w./-]+)/.exec(start ?? '')?.[1];
  const named = [started, main].flatMap((name) => (name === undefined ? [] : [name, `${name}.js`, `${name}.ts`]));
  return firstThere(files, [...named.map((name) => posix.normalize(name)), ...usualMains]);
}

function portInSource(file: string | undefined, files: FolderFiles): number | undefined {
  const source = file === undefined ? undefined : readText(files, file);
  return (
    portIn(source, /\bPORT\b['"\])]*\s{0,9}(?:\|\||\?\?|=)\s{0,9}['"]?(\d{2,5})\b/) ??
    portIn(source, /\.listen\(\s{0,9}(\d{2,5})\b/)
  );
}
