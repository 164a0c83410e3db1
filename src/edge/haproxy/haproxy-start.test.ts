import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { plainSettings, startUpstream, stop } from '../../../test/support/edge.ts';
import type { EdgeLog } from '../edge-settings.ts';
import { startEdge, stopEdge } from './haproxy.ts';
import { PortTakenError } from './haproxy-process.ts';

const quiet: EdgeLog = { info: () => {}, warn: () => {} };

test('what is wrong at the start is said in words', async (context) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-edge-'));
  const taken = await startUpstream();
  context.after(async () => {
    await stop(taken.server);
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true });
  });
  const settings = { ...plainSettings, dataDir, port: taken.port };
  await assert.rejects(startEdge(settings, quiet, []), (error: Error) => {
    assert.match(error.message, /^HAProxy did not start: Binding .*Address already in use.*$/);
    assert.doesNotMatch(error.message, /defaults section/);
    return error instanceof PortTakenError;
  });
  await assert.rejects(
    startEdge({ ...settings, binary: 'no-haproxy' }, quiet, []),
    /not installed .*apt-get install haproxy/,
  );
  await assert.rejects(startEdge({ ...settings, binary: '/bin/true' }, quiet, []), /does not look like HAProxy/);
  await assert.rejects(startEdge({ ...settings, apiHosts: ['a b'] }, quiet, []), /Not a host for the API/);
  await assert.rejects(startEdge({ ...settings, host: 'x\n' }, quiet, []), /Not a host to listen on/);
  await assert.rejects(startEdge({ ...settings, dataDir: `/tmp/${'x'.repeat(90)}` }, quiet, []), /too long a path/);
});
