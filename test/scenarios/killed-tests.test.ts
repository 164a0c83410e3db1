/** A test that is killed leaves nothing running, although nothing of its own runs any more. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { findProxies } from '../../src/edge/haproxy/haproxy-process.ts';
import { until } from './berth.ts';

for (const what of ['edge', 'berth'] as const)
  test(`the HAProxy of a test that is killed goes with it: ${what}`, async () => {
    const doomed = spawn(process.execPath, ['test/scenarios/doomed.ts', what], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [dataDir] = (await once(createInterface({ input: doomed.stdout! }), 'line')) as [string];
    const paths = edgePaths(dataDir);
    assert.equal((await findProxies(paths)).length > 0, true);
    doomed.kill('SIGKILL');
    await until(
      'it is removed completely',
      async () => (await findProxies(paths)).length === 0 && !existsSync(dataDir),
    );
  });
