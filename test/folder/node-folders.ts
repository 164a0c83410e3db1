/** Folders of source code for Node, without a Dockerfile, and the Dockerfile that each gets. */
import type { SourceFolder } from './source-folders.ts';

const json = (value: unknown) => JSON.stringify(value);
export const pack = (scripts: Record<string, string>, dependencies: string[] = [], more: object = {}) =>
  json({ name: 'app', scripts, dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])), ...more });
const tools = (...names: string[]) => ({ devDependencies: Object.fromEntries(names.map((name) => [name, '*'])) });
const pages = (output: string) => `COPY --from=build /app/${output} /usr/share/nginx/html`;

export const nodeFolders: SourceFolder[] = [
  {
    name: 'Express with a lock file',
    files: {
      'package.json': pack({ start: 'node server.js' }, ['express']),
      'package-lock.json': '{}',
      'server.js': 'app.listen(process.env.PORT || 4000)',
    },
    port: 4000,
    lines: ['COPY package.json package-lock.json ./', 'RUN npm ci --omit=dev', 'USER 1000:1000', 'CMD ["npm","start"]'],
  },
  {
    name: 'a server with no script',
    files: { 'package.json': pack({}), 'index.js': 'http.createServer(f).listen(8081)' },
    port: 8081,
    lines: ['RUN npm install --omit=dev', 'CMD ["node","index.js"]'],
  },
  {
    name: 'TypeScript that a tool runs',
    files: {
      'package.json': pack({ start: 'tsx src/index.ts' }, [], tools('tsx')),
      'pnpm-lock.yaml': '',
      'src/index.ts': 'serve({ port: 1 }); const port = process.env.PORT ?? 3333;',
    },
    port: 3333,
    lines: ['COPY package.json pnpm-lock.yaml ./', 'RUN npm install -g pnpm', 'RUN pnpm install --frozen-lockfile'],
  },
  {
    name: 'TypeScript that is compiled',
    files: { 'package.json': pack({ build: 'tsc' }, ['fastify'], { main: 'dist/main.js', ...tools('typescript') }) },
    port: 3000,
    isGuess: true,
    lines: ['RUN npm run build && npm prune --omit=dev', 'FROM node:26-slim', 'CMD ["node","dist/main.js"]'],
  },
  {
    name: 'Next.js',
    files: { 'package.json': pack({ build: 'next build', start: 'next start', dev: 'next dev' }, ['next', 'react']) },
    port: 3000,
    lines: ['RUN npm run build && npm prune --omit=dev', 'COPY --from=build --chown=1000:1000 /app /app'],
  },
  {
    name: 'Next.js that exports pages',
    files: {
      'package.json': pack({ build: 'next build', start: 'next dev' }, ['next']),
      'next.config.mjs': "export default { output: 'export' }",
    },
    port: 80,
    lines: ['RUN npm run build', 'FROM nginx:1', pages('out')],
  },
  {
    name: 'Nuxt',
    files: { 'package.json': pack({ build: 'nuxt build', dev: 'nuxt dev' }, ['nuxt']) },
    port: 3000,
    lines: ['ENV HOME=/app PORT=3000 HOST=0.0.0.0', 'CMD ["node",".output/server/index.mjs"]'],
  },
  {
    name: 'Nuxt that generates pages',
    files: { 'package.json': pack({ build: 'nuxt generate' }, ['nuxt']) },
    port: 80,
    lines: [pages('.output/public')],
  },
  {
    name: 'SvelteKit with the adapter for Node',
    files: { 'package.json': pack({ build: 'vite build' }, ['@sveltejs/kit', '@sveltejs/adapter-node', 'vite']) },
    port: 3000,
    lines: ['CMD ["node","build"]'],
  },
  {
    name: 'SvelteKit with the adapter for pages',
    files: { 'package.json': pack({ build: 'vite build' }, ['@sveltejs/kit', '@sveltejs/adapter-static', 'vite']) },
    port: 80,
    lines: [pages('build')],
  },
  {
    name: 'Astro',
    files: { 'package.json': pack({ build: 'astro build', start: 'astro dev' }, ['astro']) },
    port: 80,
    lines: [pages('dist')],
  },
  {
    name: 'Astro with a server',
    files: { 'package.json': pack({ build: 'astro build' }, ['astro', '@astrojs/node']) },
    port: 4321,
    lines: ['CMD ["node","dist/server/entry.mjs"]'],
  },
  {
    name: 'React Router',
    files: {
      'package.json': pack(
        { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
        ['@react-router/serve', 'react-router'],
        tools('vite', '@react-router/dev'),
      ),
      'package-lock.json': '{}',
    },
    port: 3000,
    lines: ['RUN npm ci', 'CMD ["npm","start"]'],
  },
  {
    name: 'Remix without a start script',
    files: { 'package.json': pack({ build: 'remix vite:build' }, ['@remix-run/serve']) },
    port: 3000,
    lines: ['CMD ["npx","remix-serve","build/server/index.js"]'],
  },
  {
    name: 'NestJS',
    files: {
      'package.json': pack({ build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' }, [
        '@nestjs/core',
      ]),
    },
    port: 3000,
    isGuess: true,
    lines: ['CMD ["npm","run","start:prod"]'],
  },
  {
    name: 'Vite with React',
    files: {
      'package.json': pack({ dev: 'vite', build: 'tsc -b && vite build' }, ['react'], tools('vite')),
      'index.html': '<div id="root">',
      'yarn.lock': '',
    },
    port: 80,
    lines: ['RUN yarn install --frozen-lockfile', 'RUN npm run build', 'FROM nginx:1', pages('dist')],
  },
  {
    name: 'Vite with an output of its own',
    files: {
      'package.json': pack({ build: 'vite build' }, [], tools('vite')),
      'vite.config.ts': "export default { build: { outDir: 'public/out' } }",
    },
    port: 80,
    lines: [pages('public/out')],
  },
  {
    name: 'Create React App',
    files: { 'package.json': pack({ start: 'react-scripts start', build: 'react-scripts build' }, ['react-scripts']) },
    port: 80,
    lines: [pages('build')],
  },
  {
    name: 'Vue CLI',
    files: { 'package.json': pack({ build: 'vue-cli-service build' }, [], tools('@vue/cli-service')) },
    port: 80,
    lines: [pages('dist')],
  },
  {
    name: 'Angular',
    files: {
      'package.json': pack({ start: 'ng serve', build: 'ng build' }, ['@angular/core']),
      'angular.json': json({
        projects: { 'my-shop': { architect: { build: { builder: '@angular/build:application' } } } },
      }),
    },
    port: 80,
    lines: [pages('dist/my-shop/browser')],
  },
  {
    name: 'Gatsby',
    files: { 'package.json': pack({ start: 'gatsby develop', build: 'gatsby build' }, ['gatsby']) },
    port: 80,
    lines: [pages('public')],
  },
  {
    name: 'Docusaurus',
    files: { 'package.json': pack({ start: 'docusaurus start', build: 'docusaurus build' }, ['@docusaurus/core']) },
    port: 80,
    lines: [pages('build')],
  },
  {
    name: 'VitePress in a folder',
    files: { 'package.json': pack({ build: 'vitepress build docs' }, [], tools('vitepress')) },
    port: 80,
    lines: [pages('docs/.vitepress/dist')],
  },
  {
    name: 'Eleventy',
    files: { 'package.json': pack({ start: 'eleventy --serve', build: 'eleventy' }, [], tools('@11ty/eleventy')) },
    port: 80,
    lines: [pages('_site')],
  },
  {
    name: 'Bun',
    files: {
      'package.json': pack({ start: 'bun run server.ts' }, ['hono']),
      'bun.lock': '',
      'server.ts': 'Bun.serve({ port: process.env.PORT || 3100 })',
    },
    port: 3100,
    lines: ['FROM oven/bun:1-slim', 'RUN bun install --frozen-lockfile --production', 'CMD ["bun","run","start"]'],
  },
  {
    name: 'a version of Node that engines names',
    files: {
      'package.json': pack({ start: 'node a.js' }, [], { engines: { node: '>=18 <23' } }),
      'a.js': 'x.listen(3001)',
    },
    port: 3001,
    lines: ['FROM node:22-slim'],
  },
  {
    name: 'a version of Node in .nvmrc',
    files: { 'package.json': pack({ start: 'node a.js' }), 'a.js': 'x.listen(3001)', '.nvmrc': 'v20.11.1\n' },
    port: 3001,
    lines: ['FROM node:20-slim'],
  },
  {
    name: 'a monorepo of npm with one application',
    files: {
      'package.json': json({ workspaces: ['apps/*', 'packages/*'] }),
      'package-lock.json': '{}',
      'apps/web/package.json': pack({ build: 'next build', start: 'next start' }, ['next']),
      'packages/ui/package.json': pack({ build: 'tsc' }),
    },
    port: 3000,
    lines: [
      'COPY . .',
      'RUN npm ci',
      'RUN npm run build --workspaces --if-present && npm prune --omit=dev',
      'WORKDIR /app/apps/web',
    ],
  },
  {
    name: 'a monorepo of pnpm whose application makes pages',
    files: {
      'package.json': pack({ build: 'pnpm -r build' }),
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  - libs/*\n',
      'apps/site/package.json': pack({ build: 'vite build' }, [], tools('vite')),
      'libs/kit/package.json': pack({ build: 'tsc' }),
    },
    port: 80,
    lines: ['RUN pnpm --filter ./apps/site... run build', pages('apps/site/dist')],
  },
  {
    name: 'pnpm in the version that the package names',
    files: {
      'package.json': pack({ start: 'node server.js' }, [], { packageManager: 'pnpm@10.20.0+sha512.4f8d' }),
      'pnpm-lock.yaml': '',
      'server.js': 'app.listen(4000)',
    },
    port: 4000,
    lines: ['RUN npm install -g pnpm@10.20.0', 'RUN pnpm install --frozen-lockfile --prod'],
  },
  {
    name: 'packages and a Procfile alone',
    files: {
      'package.json': pack({}, ['koa']),
      Procfile: 'web: node web.js\n',
      'web.js': 'app.listen(process.env.PORT || 5000)',
    },
    port: 3000,
    isGuess: true,
    lines: ['CMD ["sh","-c","exec node web.js"]'],
  },
  {
    name: 'a monorepo of Turborepo',
    files: {
      'package.json': json({ workspaces: ['apps/*'] }),
      'turbo.json': '{}',
      'apps/api/package.json': pack({ build: 'tsc', start: 'node dist/index.js' }),
    },
    port: 3000,
    isGuess: true,
    lines: ['RUN npx turbo run build --filter=./apps/api && npm prune --omit=dev', 'WORKDIR /app/apps/api'],
  },
];
