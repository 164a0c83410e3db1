/** Node frameworks whose build creates pages, or a server without a start script. */
import type { FolderFiles } from '../folder-files.ts';
import { type Package, readPackage } from './node-package.ts';
import { firstText, readText } from './texts.ts';

export type Outcome =
  /** Pages in a folder. `isSinglePage`: they route in the browser. */
  | { kind: 'pages'; output: string; isSinglePage: boolean }
  | { kind: 'server'; command: string[]; port: number; env?: Record<string, string> };

type Framework = { name: string; outcome(given: { files: FolderFiles; found: Package; build: string }): Outcome };

const endings = ['js', 'mjs', 'ts', 'mts', 'cjs'];
const configOf = (files: FolderFiles, name: string) =>
  firstText(
    files,
    endings.map((ending) => `${name}.${ending}`),
  ) ?? '';

const pages = (output: string, isSinglePage = false): Outcome => ({ kind: 'pages', output, isSinglePage });
const everywhere = { HOST: '0.0.0.0' };

/** The first framework whose package is a dependency is used. Outputs are the documented defaults. */
const frameworks: Framework[] = [
  {
    name: 'next',
    outcome({ files }) {
      if (/\boutput\s*:\s*['"]export['"]/.test(configOf(files, 'next.config'))) return pages('out');
      return { kind: 'server', command: ['npx', 'next', 'start'], port: 3000 };
    },
  },
  {
    name: 'nuxt',
    outcome: ({ build }) =>
      /\bgenerate\b/.test(build)
        ? pages('.output/public')
        : { kind: 'server', command: ['node', '.output/server/index.mjs'], port: 3000, env: everywhere },
  },
  {
    name: '@sveltejs/kit',
    outcome: ({ found }) =>
      found.dependencies.has('@sveltejs/adapter-static')
        ? pages('build')
        : { kind: 'server', command: ['node', 'build'], port: 3000, env: everywhere },
  },
  {
    name: 'astro',
    outcome: ({ found }) =>
      found.dependencies.has('@astrojs/node')
        ? { kind: 'server', command: ['node', 'dist/server/entry.mjs'], port: 4321, env: everywhere }
        : pages('dist'),
  },
  { name: '@react-router/serve', outcome: () => routerServer('react-router-serve') },
  { name: '@remix-run/serve', outcome: () => routerServer('remix-serve') },
  { name: 'gatsby', outcome: () => pages('public') },
  { name: '@docusaurus/core', outcome: () => pages('build') },
  {
    name: 'vitepress',
    outcome({ build }) {
      const folder = /\bvitepress\s+build\s+([\w./-]+)/.exec(build)?.[1];
      return pages(`${folder === undefined ? '' : `${folder}/`}.vitepress/dist`);
    },
  },
  { name: '@11ty/eleventy', outcome: () => pages('_site') },
  { name: '@angular/core', outcome: ({ files }) => pages(angularOutput(files), true) },
  { name: 'react-scripts', outcome: () => pages('build', true) },
  { name: '@vue/cli-service', outcome: () => pages('dist', true) },
  {
    name: 'vite',
    outcome: ({ files }) =>
      pages(/\boutDir\s*:\s*['"]([\w./-]+)['"]/.exec(configOf(files, 'vite.config'))?.[1] ?? 'dist', true),
  },
];

export function frameworkOutcome(files: FolderFiles, build: string, folder?: string): Outcome | undefined {
  const found = readPackage(files, folder);
  const framework = found && frameworks.find(({ name }) => found.dependencies.has(name));
  return framework?.outcome({ files, found: found!, build });
}

function routerServer(command: string): Outcome {
  return { kind: 'server', command: ['npx', command, 'build/server/index.js'], port: 3000, env: everywhere };
}

/** Angular names its output like its project; since version 17 the pages are in `browser` of it. */
function angularOutput(files: FolderFiles): string {
  const text = readText(files, 'angular.json') ?? '';
  const project = /"projects"\s*:\s*\{\s*"([\w@/.-]+)"/.exec(text)?.[1] ?? '*';
  const isOld = /"builder"\s*:\s*"@angular-devkit\/build-angular:browser"/.test(text);
  return isOld ? `dist/${project}` : `dist/${project}/browser`;
}
