import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fingerprintOf } from './built-folder.ts';
import { dashboard } from './dashboard.ts';

test('the dashboard is built again when one of its sources has changed, and only then', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-sources-'));
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  try {
    await write('web/src/app.tsx', 'one');
    await write('package-lock.json', '{}');
    const before = await fingerprintOf(folder, dashboard.sources);
    await write('web/src/app.test.ts', 'a test');
    await write('web/dist/assets/app.js', 'what was built');
    await write('src/api/app.ts', 'the service');
    assert.equal(await fingerprintOf(folder, dashboard.sources), before);
    for (const file of [
      'web/src/app.tsx',
      'web/src/logs/logs.css',
      'web/index.html',
      'src/config/parse.ts',
      'examples/hello.yaml',
      'package-lock.json',
    ]) {
      const last = await fingerprintOf(folder, dashboard.sources);
      await write(file, 'two');
      assert.notEqual(await fingerprintOf(folder, dashboard.sources), last, file);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
