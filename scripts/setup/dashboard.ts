/** The dashboard, built from its sources by Vite. */
import { join } from 'node:path';
import type { BuiltFolder } from './built-folder.ts';

export const dashboard: BuiltFolder = {
  title: 'Building the dashboard (about 3 s)',
  folder: 'web/dist',
  // Its own files, the files shared with the service, and the versions of its libraries.
  sources: [
    'web/*.{html,json,ts}',
    'web/{src,build}/**/*',
    'scripts/{compiled-validator,compress-files}.ts',
    'src/{client,config,deployment,lib}/**/*.ts',
    'examples/*.yaml',
    'package-lock.json',
  ],
  program: 'vite/bin/vite.js',
  args: (made) => {
    const web = join(import.meta.dirname, '../../web');
    return ['build', web, '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'];
  },
};
