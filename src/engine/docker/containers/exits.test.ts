import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Docker from 'dockerode';
import { endIn, lastEnd, parseEnds } from './exits.ts';

const event = (Action: string, atMs: number, exitCode?: number) =>
  JSON.stringify({
    Action,
    timeNano: atMs * 1e6,
    Actor: { Attributes: exitCode === undefined ? {} : { exitCode: `${exitCode}` } },
  });

test('the end of an instant is the first one reported from then on', () => {
  const ends = parseEnds([event('die', 1_000, 3), event('die', 5_000, 4)]);
  assert.deepEqual(endIn(ends, 999), { code: 3, isOutOfMemory: false });
  assert.deepEqual(endIn(ends, 1_001), { code: 4, isOutOfMemory: false });
  assert.equal(endIn(ends, 5_001), undefined);
});

test('an out-of-memory kill may be reported before the end or just after it', () => {
  const ends = parseEnds([
    ...[event('oom', 900), event('die', 1_000, 137)],
    ...[event('die', 2_000, 3)],
    ...[event('die', 3_000, 137), event('oom', 3_050)],
    ...[event('die', 4_000, 137)],
  ]);
  assert.deepEqual(
    ends.map(({ code, isOutOfMemory }) => [code, isOutOfMemory]),
    [
      [137, true],
      [3, false],
      [137, true],
      [137, false],
    ],
  );
});

test('who is killed again soon after an end for memory was killed for that, although the engine has lost the word', async (context) => {
  const ends = [event('oom', 900), event('die', 1_000, 137), event('die', 2_000, 137), event('die', 3_000, 1)];
  assert.deepEqual(endIn(parseEnds(ends), 1_990), { code: 137, isOutOfMemory: true });
  const twice = [...ends.slice(0, 3), event('die', 2_500, 137)];
  assert.deepEqual(endIn(parseEnds(twice), 2_490), { code: 137, isOutOfMemory: true });
  assert.deepEqual(endIn(parseEnds(ends.slice(2)), 1_990), { code: 137, isOutOfMemory: false });
  assert.deepEqual(endIn(parseEnds(ends), 2_990), { code: 1, isOutOfMemory: false });

  const endedAt = Date.parse('2026-01-01T12:00:00Z');
  const lines = [event('oom', endedAt - 1_100), event('die', endedAt - 1_000, 137), event('die', endedAt + 10, 137)];
  const server = createServer((_, response) => void response.end(lines.map((line) => `${line}\n`).join('')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const State = { Status: 'exited', ExitCode: 137, OOMKilled: false, FinishedAt: new Date(endedAt).toISOString() };
  const inspected = { Id: 'web', State, HostConfig: { Memory: 2 ** 20 } } as never;
  for (const ageMs of [100, 60_000]) {
    const { exit } = await lastEnd(docker, inspected, undefined, endedAt + ageMs);
    assert.deepEqual([exit?.code, exit?.isOutOfMemory], [137, true], `looked at ${ageMs} ms later`);
  }
});

test('an end without a code is ignored', () => {
  assert.deepEqual(parseEnds([event('die', 1_000)]), []);
});

test('a forgotten end is queried once; an unanswered query is repeated', async (context) => {
  let requested = 0;
  let isAway = true;
  const server = createServer((_, response) => {
    requested++;
    response.writeHead(isAway ? 500 : 200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const [endedAt, startedAt] = [Date.parse('2026-01-01T12:00:00Z'), '2026-01-01T12:00:01Z'];
  const inspectedAt = (FinishedAt: string) =>
    ({ Id: 'web', State: { Status: 'running', StartedAt: startedAt, FinishedAt }, HostConfig: {} }) as never;
  const finishedAt = new Date(endedAt).toISOString();
  let known = await lastEnd(docker, inspectedAt(finishedAt), undefined, endedAt + 60_000);
  assert.deepEqual([known.exit, known.isSettled, requested], [undefined, false, 1]);
  isAway = false;
  for (let looks = 0; looks < 3; looks++)
    known = await lastEnd(docker, inspectedAt(finishedAt), known, endedAt + 60_000);
  assert.deepEqual([known.exit, requested], [undefined, 2]);
  await lastEnd(docker, inspectedAt('2026-01-01T12:00:00.5Z'), known, endedAt + 60_000);
  assert.equal(requested, 3, 'another end is another question');
});

test('a container that gets a notification for its whole group, and ends by itself, was not killed for memory', async () => {
  const docker = new Docker({ socketPath: '/nowhere' });
  const ended = (CgroupParent: string, ExitCode: number) =>
    ({
      Id: 'web',
      State: { Status: 'exited', OOMKilled: true, ExitCode, FinishedAt: '2026-01-01T12:00:00Z' },
      HostConfig: { CgroupParent },
    }) as never;
  const nowMs = Date.parse('2026-01-01T12:01:00Z');
  const isOutOfMemory = async (parent: string, code: number) =>
    (await lastEnd(docker, ended(parent, code), undefined, nowMs)).exit?.isOutOfMemory;
  assert.equal(await isOutOfMemory('/berth-me/abc', 3), false);
  assert.equal(await isOutOfMemory('/berth-me/abc', 137), true);
  assert.equal(await isOutOfMemory('', 3), true, 'alone, one of its processes was killed');
});
