/** The documentation site, built from the pages in `docs` by VitePress. */
import { join } from 'node:path';
import type { BuiltFolder } from './built-folder.ts';

export const site: BuiltFolder = {
  title: 'Building the documentation (about 5 s)',
  folder: 'site/dist',
  sources: [
    'docs/**/*',
    'site/.vitepress/**/*',
    'site/package.json',
    'scripts/{compress-files,docs/heading-ids}.ts',
    'src/api/documentation/pages.ts',
    'web/src/styles/tokens.css',
    'package-lock.json',
  ],
  program: 'vitepress/bin/vitepress.js',
  args: (made) => ['build', join(import.meta.dirname, '../../site'), '--outDir', made],
};
