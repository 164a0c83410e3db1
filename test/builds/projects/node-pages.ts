/** Projects with frameworks of Node that build pages or servers. Each answers with `hello from here`. */
import { type Project, packageOf } from './project.ts';

export const builtWithNode: Project[] = [
  {
    name: 'React with Vite',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'vite', build: 'vite build' },
        dependencies: { react: '^19', 'react-dom': '^19' },
        devDependencies: { vite: '^7', '@vitejs/plugin-react': '^5' },
      }),
      'vite.config.js': `import react from '@vitejs/plugin-react';
export default { plugins: [react()] };
`,
      'index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div><script type="module" src="/src/main.jsx"></script></body></html>',
      'src/main.jsx': `import { createRoot } from 'react-dom/client';
createRoot(document.getElementById('root')).render(<p>hello from here</p>);
`,
    },
  },
  {
    name: 'Vue with Vite',
    lock: 'npm',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
        dependencies: { vue: '^3' },
        devDependencies: { vite: '^7', '@vitejs/plugin-vue': '^6' },
      }),
      'vite.config.js': `import vue from '@vitejs/plugin-vue';
export default { plugins: [vue()] };
`,
      'index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div><script type="module" src="/src/main.js"></script></body></html>',
      'src/main.js': `import { createApp } from 'vue';
import App from './App.vue';
createApp(App).mount('#root');
`,
      'src/App.vue': `<template><p>hello from here</p></template>
`,
    },
  },
  {
    name: 'SvelteKit',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'vite dev', build: 'vite build' },
        devDependencies: {
          '@sveltejs/adapter-node': '^5',
          '@sveltejs/kit': '^2',
          '@sveltejs/vite-plugin-svelte': '^6',
          svelte: '^5',
          vite: '^7',
        },
      }),
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node';
export default { kit: { adapter: adapter() } };
`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';
export default { plugins: [sveltekit()] };
`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.svelte': `<p>hello from here</p>
`,
    },
  },
  {
    name: 'Next.js',
    files: {
      'package.json': packageOf({
        scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
        dependencies: { next: '^15', react: '^19', 'react-dom': '^19' },
      }),
      'app/layout.js': `export default function Layout({ children }) { return <html><body>{children}</body></html>; }
`,
      'app/page.js': `export default function Page() { return <p>hello from here</p>; }
`,
    },
  },
  {
    name: 'Nuxt',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'nuxt dev', build: 'nuxt build' },
        dependencies: { nuxt: '^4', vue: '^3', 'vue-router': '^4' },
      }),
      'nuxt.config.ts': `export default defineNuxtConfig({ telemetry: false });
`,
      'app/app.vue': `<template><p>hello from here</p></template>
`,
    },
  },
  {
    name: 'React Router',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: {
          dev: 'react-router dev',
          build: 'react-router build',
          start: 'react-router-serve ./build/server/index.js',
        },
        dependencies: {
          '@react-router/node': '7.9.6',
          '@react-router/serve': '7.9.6',
          isbot: '^5',
          react: '^19',
          'react-dom': '^19',
          'react-router': '7.9.6',
        },
        devDependencies: { '@react-router/dev': '7.9.6', vite: '^7' },
      }),
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite';
export default { plugins: [reactRouter()] };
`,
      'app/root.jsx': `import { Outlet, Scripts } from 'react-router';
export default function App() { return <html lang="en"><head></head><body><Outlet /><Scripts /></body></html>; }
`,
      'app/routes.js': `import { index } from '@react-router/dev/routes';
export default [index('home.jsx')];
`,
      'app/home.jsx': `export default function Home() { return <p>hello from here</p>; }
`,
    },
  },
  {
    name: 'Astro, pages',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'astro dev', build: 'astro build' },
        dependencies: { astro: '^5' },
      }),
      'src/pages/index.astro': `<html><body><p>hello from here</p></body></html>
`,
    },
  },
  {
    name: 'Astro, server',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { dev: 'astro dev', build: 'astro build' },
        dependencies: { astro: '^5', '@astrojs/node': '^9' },
      }),
      'astro.config.mjs': `import node from '@astrojs/node';
export default { output: 'server', adapter: node({ mode: 'standalone' }) };
`,
      'src/pages/index.astro': `<html><body><p>hello from here</p></body></html>
`,
    },
  },
  {
    name: 'Eleventy',
    files: {
      'package.json': packageOf({
        scripts: { start: 'eleventy --serve', build: 'eleventy' },
        devDependencies: { '@11ty/eleventy': '^3' },
      }),
      'index.md': `# hello from here
`,
    },
  },
  {
    name: 'VitePress',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { 'docs:dev': 'vitepress dev docs', build: 'vitepress build docs' },
        devDependencies: { vitepress: '^1' },
      }),
      'docs/index.md': `# hello from here
`,
    },
  },
  {
    name: 'workspaces of pnpm with Turborepo',
    lock: 'pnpm',
    files: {
      'package.json': packageOf({
        scripts: { build: 'turbo run build' },
        devDependencies: { turbo: '^2' },
        packageManager: 'pnpm@10.20.0',
      }),
      'pnpm-workspace.yaml': `packages:
  - 'apps/*'
  - 'packages/*'
`,
      'turbo.json': JSON.stringify({ tasks: { build: { dependsOn: ['^build'], outputs: ['dist/**'] } } }),
      'apps/web/package.json': packageOf({
        name: 'web',
        type: 'module',
        scripts: { build: 'vite build' },
        dependencies: { words: 'workspace:*' },
        devDependencies: { vite: '^7' },
      }),
      'apps/web/index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div><script type="module" src="/src/main.js"></script></body></html>',
      'apps/web/src/main.js': `import { words } from 'words';
document.title = words;
`,
      'packages/words/package.json': packageOf({ name: 'words', type: 'module', main: 'index.js' }),
      'packages/words/index.js': `export const words = 'hello from here';
`,
    },
  },
  {
    name: 'Preact with esbuild',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: {
          build:
            'esbuild src/app.jsx --bundle --outfile=dist/app.js --jsx=automatic --jsx-import-source=preact && cp index.html dist/',
        },
        dependencies: { preact: '^10' },
        devDependencies: { esbuild: '^0.25' },
      }),
      'index.html':
        '<!doctype html><html><head><title>hello from here</title></head><body><div id="root">hello from here</div><script type="module" src="/src/main.js"></script></body></html>',
      'src/app.jsx': `import { render } from 'preact';
render(<p>hello from here</p>, document.body);
`,
    },
  },
];
