import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const folder = join(import.meta.dirname, '../dist');
const mostBytes = 120_000;

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[]; isEntry?: boolean };

test('the first view loads less than 120 kB, gzipped; the editor, the checks and the picture come later', () => {
  const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  const [entry] = Object.keys(manifest).filter((key) => manifest[key]!.isEntry && key === 'index.html');
  const files = new Set<string>(['index.html']);
  const load = (key: string) => {
    const { file, imports = [], css = [] } = manifest[key]!;
    if (files.has(file)) return;
    for (const each of [file, ...css]) files.add(each);
    for (const each of imports) load(each);
  };
  load(entry!);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  assert.ok(files.size >= 3, [...files].join(' '));
  assert.ok(bytes < mostBytes, `${bytes} bytes`);
  assert.ok(![...files].some((file) => /view-|worker-|picture-/.test(file)), [...files].join(' '));
});
