/** Tests the scripts of package.json on a machine whose own Node is older than the project's. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

test("commands after the installation of the modules run with the project's own Node", async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  const chains = Object.values(scripts).filter((script) => script.startsWith('node scripts/modules.mjs &&'));
  assert.ok(chains.length > 0);
  // A shell remembers where it has found `node`: before the modules were there, that was the machine's.
  for (const chain of chains) assert.match(chain, /^node scripts\/modules\.mjs && node_modules\/\.bin\/node \S+$/);
});
