import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pack } from 'tar-stream';
import type { Docker } from './docker-command.ts';
import { exportImage } from './exported-image.ts';

test('an export that breaks off in a layer, as with Ctrl-C, rejects its waiters with one fault', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
  t.after(() => rm(folder, { recursive: true }));
  const tar = pack();
  tar.entry({ name: 'layer.tar' }, Buffer.alloc(100_000));
  tar.finalize();
  const whole = Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
  const run: Docker['run'] = async (_words, running) => {
    const stdout = new PassThrough();
    const reading = running!.output!(stdout);
    stdout.end(whole.subarray(0, 50_000));
    await reading;
    return { status: 0, stdout: '', lines: [] };
  };
  const docker = { platform: 'linux/amd64', hasBuildKit: false, run, runQuietly: async () => '' };
  await assert.rejects(exportImage(docker, 'sha256:1', folder));
  // An unhandled rejection would end the process now.
  await turn();
});
