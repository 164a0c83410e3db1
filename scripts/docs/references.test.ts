/** References of the documentation exist: pages, their headings, and files of the code, such as tests. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { headingIds } from './heading-ids.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
/** Outside of blocks of code. */
const proseOf = (page: string) => textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '');

test('every link between the pages leads to a file and a heading', () => {
  const broken = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      const isThere = existsSync(join(root, target)) && (heading === undefined || headingsOf(target).has(heading));
      return isThere ? [] : [`${page}: ${link}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('every file of the code that a page names exists', () => {
  const folders = '{src,test,scripts,bench,web}/**/*.ts';
  const files = globSync(folders, { cwd: root, exclude: (path) => path.includes('node_modules') });
  const missing = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/`([\w/.-]+\.ts)`/g)]
      .filter(([, name]) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
      .map(([, name]) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

function headingsOf(page: string): Set<string> {
  if (!basename(page).endsWith('.md')) return new Set();
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, words = '']) => words);
  return new Set(headings.map(headingIds()));
}
