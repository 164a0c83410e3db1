import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('of an npm that fails the errors are shown, not the warnings, with the end of what it says', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'berth-modules-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(import.meta.dirname, 'modules.mjs'), join(root, 'scripts/modules.mjs'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(
    join(root, 'npm'),
    `#!/bin/sh
for i in $(seq 1 30); do echo "npm warn EBADENGINE number $i" >&2; done
echo "npm error code 1" >&2
for i in $(seq 1 100); do echo "npm error build line $i" >&2; done
echo "npm error the cause" >&2
exit 1
`,
  );
  chmodSync(join(root, 'npm'), 0o755);
  const env = { PATH: `${root}:${process.env.PATH}` };
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/modules.mjs')], {
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  const lines = stderr.trim().split('\n');
  assert.equal(lines[0], 'npm error code 1');
  assert.equal(lines.at(-1), 'npm error the cause');
  assert.equal(lines[20], '… (62 lines more)');
  assert.equal(lines.length, 41);
});
