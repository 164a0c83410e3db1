/** How the dashboard is built: hashed files in `assets/`, each also compressed, and one page. */
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { compiledValidator } from '../scripts/compiled-validator.ts';
import { compressFiles } from '../scripts/compress-files.ts';

/** Browsers with `light-dark()`, so that one style sheet serves both without a script: all since May 2024. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];

/** Where `npm run dev -w web` finds the service. */
const service = process.env.BERTH_BASE_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [browserOnly(), compiledValidator(), compressed()],
  worker: { format: 'es', plugins: () => [browserOnly(), compiledValidator()] },
  build: {
    target: browsers,
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      // What is no page and no module of ours is the service's.
      '^/(?!@|src/|node_modules/|$|d/|new|templates|deployments|account|sign-|claim/|shared/|reset-|verify-)': service,
    },
  },
});

/** Fails a build that reaches a module of Node. Vite would replace it with an empty one, which fails in the browser. */
function browserOnly(): Plugin {
  return {
    name: 'browser-only',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id.startsWith('node:')) this.error(`The dashboard cannot use ${id}, which ${importer} imports.`);
    },
  };
}

function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle: ({ dir }) => compressFiles(join(dir!, 'assets')),
  };
}
