import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

/** A clone without modules, and an npm of the test. */
function cloneWith(t: TestContext, npm: string) {
  const root = mkdtempSync(join(tmpdir(), 'berth-modules-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(import.meta.dirname, 'modules.mjs'), join(root, 'scripts/modules.mjs'));
  writeFileSync(join(root, 'package-lock.json'), '{ "packages": {} }');
  writeFileSync(join(root, 'npm'), npm);
  chmodSync(join(root, 'npm'), 0o755);
  const env = { PATH: `${root}:${process.env.PATH}` };
  const install = () =>
    spawnSync(process.execPath, [join(root, 'scripts/modules.mjs')], { cwd: root, env, encoding: 'utf8' });
  return { root, install };
}

test('when npm fails, its errors and last lines are shown without warnings', (t) => {
  const { install } = cloneWith(
    t,
    `#!/bin/sh
for i in $(seq 1 30); do echo "npm warn EBADENGINE number $i" >&2; done
echo "npm error code 1" >&2
for i in $(seq 1 100); do echo "npm error build line $i" >&2; done
echo "npm error the cause" >&2
exit 1
`,
  );
  const { status, stderr } = install();
  assert.equal(status, 1);
  const lines = stderr.trim().split('\n');
  assert.equal(lines[0], 'npm error code 1');
  assert.equal(lines.at(-1), 'npm error the cause');
  assert.equal(lines[20], '… (62 lines more)');
  assert.equal(lines.length, 41);
});

test('an installation that ended before Node was there is repeated, and a complete one is not', (t) => {
  const { root, install } = cloneWith(
    t,
    `#!/bin/sh
echo "$1" >> calls
case "$*" in
  ci*--ignore-scripts*) mkdir -p node_modules && echo '{ "packages": {} }' > node_modules/.package-lock.json ;;
  'rebuild --ignore-scripts=false node') [ -f online ] && mkdir -p node_modules/node/bin && : > node_modules/node/bin/node ;;
esac
`,
  );
  assert.equal(install().status, 1);
  assert.equal(install().status, 1, 'what npm has noted is not all');
  writeFileSync(join(root, 'online'), '');
  assert.equal(install().status, 0);
  assert.ok(existsSync(join(root, 'node_modules/node/bin/node')));
  assert.equal(install().stdout, '', 'nothing is to be done');
  rmSync(join(root, 'node_modules/.berth-installed-lock.json'));
  assert.equal(install().stdout, '', 'by hand it may be installed too');
  assert.equal(readFileSync(join(root, 'calls'), 'utf8'), 'ci\nrebuild\n'.repeat(3));
});
