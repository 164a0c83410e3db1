import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { run } from '../run.ts';

/** The output and exit status of `berth up` in a folder with these files, if the service reports these limits. */
async function upOf(t: TestContext, files: Record<string, string>, limits: object) {
  const answers: Record<string, object> = {
    '/createSession': { sessionToken: `berth_${'x'.repeat(32)}` },
    '/api/limits': limits,
  };
  const service = createServer((request, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers[request.url!])),
  );
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'berth-up-session-'));
  t.after(async () => {
    service.close();
    service.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
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
  return { status, told: `${await text(stdout)}${await text(stderr)}` };
}

test('a service of an earlier version, which takes no folders, is said to be one', async (t) => {
  const { status, told } = await upOf(t, { Dockerfile: 'FROM node:26-slim\nEXPOSE 3000\n' }, { limits: {} });
  assert.equal(status, 1, told);
  assert.match(told, /is an earlier version, which does not take folders\.\n.*berth deploy FILE/);
});

test('data of archives is not pushed where volumes begin empty, and it is said', async (t) => {
  const compose = `services:
  web: { image: "nginx:1", ports: ["80"], volumes: ["data:/srv"] }
volumes:
  data: { x-berth: { fill: { .: data.tar } } }
`;
  const images = { platform: 'linux/amd64', fillsVolumes: false };
  const { status, told } = await upOf(t, { 'compose.yaml': compose, 'data.tar': '' }, { images });
  assert.equal(status, 1, told);
  assert.match(
    told,
    /Volumes begin empty at http.*, and would not have what is in data\.tar\.\n.*start-kubernetes\.sh/,
  );
});
