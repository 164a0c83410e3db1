/** A folder with a `package.json`: a server that is started, or a site that is built. */
import { posix } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import type { Recipe } from './recipe.ts';
import { firstThere, isThere, portIn, readText } from './texts.ts';

type Package = { start?: string; build?: string; main?: string; dependencies: Set<string> };

/** Programs that serve a developer, and nobody else. */
const forDevelopment =
  /(?:^|\s|&)(?:vite(?! preview)|react-scripts start|ng serve|webpack(?:-dev-server| serve)|parcel)(?:\s|$)/;
const usualMains = ['server.js', 'server.mjs', 'index.js', 'index.mjs', 'app.js', 'src/server.js', 'src/index.js'];

/** Undefined without a package, and for one that only holds tools. */
export function nodeRecipe(files: FolderFiles): Recipe | undefined {
  const found = readPackage(files);
  if (!found) return undefined;
  const { start, build, main } = found;
  const isSite = build !== undefined && (start === undefined || forDevelopment.test(start));
  if (isSite) return builtSite(found, files);
  const file = mainOf(start, main, files);
  if (start === undefined && file === undefined) return undefined;
  const said = portIn(start, /(?:--port|-p)[= ](\d{2,5})\b/) ?? portInSource(file, files);
  const port = said ?? 3000;
  const command = start === undefined ? ['node', file!] : ['npm', 'start'];
  const lines = [
    ...installed(files, { withTools: build !== undefined }),
    ...(build === undefined ? [] : ['RUN npm run build']),
    `ENV NODE_ENV=production PORT=${port}`,
    `EXPOSE ${port}`,
    `CMD ${JSON.stringify(command)}`,
  ];
  const what = start === undefined ? file! : 'its start script';
  return {
    found: `package.json, with ${what}`,
    dockerfile: written(lines),
    port,
    isGuess: said === undefined,
    ignored,
  };
}

const ignored = ['node_modules'];

function builtSite({ dependencies }: Package, files: FolderFiles): Recipe {
  const output = dependencies.has('react-scripts') ? 'build' : 'dist';
  const [from = '', ...rest] = installed(files, { withTools: true });
  const lines = [
    ...[`${from} AS build`, ...rest, 'RUN npm run build', ''],
    ...['FROM nginx:1', `COPY --from=build /app/${output} /usr/share/nginx/html`, 'EXPOSE 80'],
  ];
  const found = `package.json, whose build script makes a site (taken from ${output}/)`;
  return { found, dockerfile: written(lines), port: 80, isGuess: false, ignored: [...ignored, output] };
}

function installed(files: FolderFiles, { withTools }: { withTools: boolean }): string[] {
  const omit = withTools ? '' : ' --omit=dev';
  const [lock, command] = isThere(files, 'pnpm-lock.yaml')
    ? ['pnpm-lock.yaml ', `npm install -g pnpm && pnpm install --frozen-lockfile${withTools ? '' : ' --prod'}`]
    : isThere(files, 'yarn.lock')
      ? ['yarn.lock ', 'npm install -g --force yarn && yarn install']
      : isThere(files, 'package-lock.json')
        ? ['package-lock.json ', `npm ci${omit}`]
        : ['', `npm install${omit}`];
  return ['FROM node:26-slim', 'WORKDIR /app', `COPY package.json ${lock}./`, `RUN ${command}`, 'COPY . .'];
}

function written(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** What is no package is as good as none. */
function readPackage(files: FolderFiles): Package | undefined {
  const text = readText(files, 'package.json');
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    const map = mapOf(read);
    const scripts = mapOf(map.scripts);
    const [start, build, main] = [scripts.start, scripts.build, map.main];
    return {
      ...(typeof start === 'string' && { start }),
      ...(typeof build === 'string' && { build }),
      ...(typeof main === 'string' && { main }),
      dependencies: new Set([...Object.keys(mapOf(map.dependencies)), ...Object.keys(mapOf(map.devDependencies))]),
    };
  } catch {
    // It is no JSON: nothing in it can be started.
    return undefined;
  }
}

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function mainOf(start: string | undefined, main: string | undefined, files: FolderFiles): string | undefined {
  const started = /(?:^|\s)(?:node|tsx|nodemon)\s(?:-\S+\s)*([\w./-]+)/.exec(start ?? '')?.[1];
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
