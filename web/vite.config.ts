/** How the dashboard is built: hashed files in `assets/`, each also compressed, and one page. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { compiledValidator } from '../scripts/compiled-validator.ts';

/** Browsers with `light-dark()`, so that one style sheet serves both without a script: all since May 2024. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];

/** Where `npm run dev -w web` finds the service. */
const service = process.env.BERTH_BASE_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compiledValidator(), compressed()],
  worker: { format: 'es', plugins: () => [compiledValidator()] },
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

/** Once here instead of at every start of the service. Quality 9: 11 is 2 % smaller and takes eight times as long. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      const folder = join(dir!, 'assets');
      for (const name of await readdir(folder)) {
        const bytes = await readFile(join(folder, name));
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes, quality));
        await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}
