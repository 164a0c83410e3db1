/** Every configuration in the documentation and in the examples is accepted. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { printDiagnostic } from '../../src/config/diagnostics/diagnostics.ts';
import { parseConfiguration } from '../../src/config/parse.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['README.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root }).sort();
const files = globSync('examples/**/*.{yaml,yml}', { cwd: root }).sort();

const documents = [
  ...pages.flatMap((page) => fencesOf(page)),
  ...files.map((file) => ({ title: file, text: readFileSync(join(root, file), 'utf8') })),
];

/** Configurations between fences: what is a part of one only begins otherwise. */
function fencesOf(page: string): { title: string; text: string }[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll('\r\n', '\n');
  return Array.from(text.matchAll(/^([ ]*)```ya?ml\n([\s\S]*?)^\1```/gm), ({ 1: indent, 2: content, index }) => ({
    title: `${page}:${text.slice(0, index).split('\n').length}`,
    text: content!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  })).filter(({ text: content }) => /^(?:application|services):/m.test(content));
}

test('there are documented configurations', () => assert.ok(documents.length >= 3));

for (const { title, text } of documents) {
  test(`the configuration at ${title} is accepted`, () => {
    const parsed = parseConfiguration(text);
    const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors.map(printDiagnostic), []);
  });
}
