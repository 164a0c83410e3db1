import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { run } from '../run.ts';

test('a service of an earlier version, which takes no folders, is said to be one', async (t) => {
  const answers: Record<string, object> = {
    '/createSession': { sessionToken: `berth_${'x'.repeat(32)}` },
    '/api/limits': { limits: {} },
  };
  const earlier = createServer((request, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers[request.url!])),
  );
  await new Promise<void>((resolve) => earlier.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'berth-up-session-'));
  t.after(async () => {
    earlier.close();
    earlier.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  await writeFile(join(folder, 'Dockerfile'), 'FROM node:26-slim\nEXPOSE 3000\n');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const address = `http://127.0.0.1:${(earlier.address() as AddressInfo).port}`;
  const status = await run(['up', folder, '--server', address], {
    stdin,
    stdout,
    stderr,
    folder,
    env: { PATH: process.env.PATH, HOME: folder },
    signal: new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const told = `${await text(stdout)}${await text(stderr)}`;
  assert.equal(status, 1, told);
  assert.match(told, /is an earlier version, which does not take folders\.\n.*berth deploy FILE/);
});
