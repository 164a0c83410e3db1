import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { createProbe, type Probe, type ProbedReadiness } from './probe.ts';
import { createRechecks, maxInBeat, type Rechecked, recheck } from './recheck.ts';

const times = { initialDelaySeconds: 0, timeoutSeconds: 5, failureThreshold: 3 };

/** Deployments with one container each, beats of a second, and commands with a given duration. */
function stage() {
  let now = 0;
  const requested = new Map<string, number[]>();
  const reported: string[] = [];
  const known = new Map<string, Rechecked[]>();
  /** Ids whose check does not end well. */
  const sick = new Set<string>();
  /** Ids whose check does not end. */
  const hanging = new Set<string>();
  const add = (id: string, readiness: ProbedReadiness): Probe => {
    const answer = () => {
      requested.set(id, [...(requested.get(id) ?? []), now]);
      return sick.has(id) ? { kind: 'unhealthy' as const, words: 'is sick' } : undefined;
    };
    const probe = createProbe({
      readiness,
      address: '127.0.0.1',
      startedAtMs: 0,
      uptime: () => now,
      minPeriodMs: 10_000,
      runCheck: async () => {
        const reason = answer();
        if (hanging.has(id)) await new Promise(() => {});
        return reason;
      },
      listens: async () => answer() === undefined,
    });
    known.set(id, [{ probe }]);
    return probe;
  };
  const look = (id: string) => {
    for (const container of known.get(id) ?? []) container.reportedReady = container.probe!.isReady;
  };
  return {
    add,
    look,
    reported,
    sick,
    hanging,
    /** Visits probe it until it is ready. */
    async begin() {
      for (const [id, containers] of known) {
        for (const { probe } of containers) await probe?.attempt();
        look(id);
      }
      requested.clear();
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        now += 1_000;
        recheck(known, (id) => reported.push(id));
        await new Promise(setImmediate);
      }
    },
    asked: (id: string) => requested.get(id) ?? [],
    askedInAll: () => [...requested.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

const command = (periodSeconds: number): ProbedReadiness => ({
  kind: 'command',
  command: ['check'],
  periodSeconds,
  ...times,
});

test('a ready workload is checked at its period, but at most every ten seconds', async () => {
  const { add, begin, pass, asked } = stage();
  add('greedy', command(1));
  add('modest', command(60));
  await begin();
  await pass(600);
  assert.deepEqual([asked('greedy').length, asked('modest').length], [60, 10]);
});

test('a check that reaches its failure limit is reported once, and its recovery once', async () => {
  const { add, begin, pass, reported, sick, look, asked } = stage();
  add('web', command(10));
  await begin();
  sick.add('web');
  await pass(29);
  assert.deepEqual([asked('web').length, reported], [2, []]);
  await pass(600);
  assert.deepEqual(reported, ['web']);
  look('web');
  sick.delete('web');
  await pass(600);
  assert.deepEqual(reported, ['web', 'web']);
});

test('results that arrive after the look that started the check are reported too', async () => {
  const { add, begin, pass, reported, sick } = stage();
  const probe = add('web', { ...command(10), failureThreshold: 1 } as ProbedReadiness);
  await begin();
  sick.add('web');
  await probe.attempt();
  await pass(1);
  assert.deepEqual(reported, ['web']);
});

test('who was never ready is left to the visits', async () => {
  const { add, begin, pass, sick, askedInAll } = stage();
  add('web', command(10));
  sick.add('web');
  await begin();
  await pass(100);
  assert.equal(askedInAll(), 0);
});

test('of a thousand commands only a limited number starts in a second, each has its turn, and a hanging one delays no other', async () => {
  const { add, begin, pass, hanging, asked, askedInAll } = stage();
  for (let number = 0; number < 1_000; number++) add(`app-${number}`, command(1));
  await begin();
  for (let number = 0; number < 300; number++) hanging.add(`app-${number}`);
  await pass(9);
  assert.equal(askedInAll(), 0);
  await pass(850);
  assert.equal(askedInAll(), 850 * maxInBeat.command);
  const counts = Array.from({ length: 700 }, (_, number) => asked(`app-${number + 300}`).length);
  assert.deepEqual([Math.min(...counts), Math.max(...counts)], [2, 2]);
});

test('ports are checked every half minute, without a connection if the kernel reports them', async (context) => {
  const { add, begin, pass, asked, askedInAll } = stage();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (let number = 0; number < 100; number++) add(`port-${number}`, { kind: 'port', port });
  await begin();
  await pass(29);
  assert.equal(askedInAll(), 0);
  await pass(1);
  assert.equal(askedInAll(), maxInBeat.port);
  await pass(50);
  assert.equal(askedInAll(), 200);
  assert.equal(asked('port-0').length, 2);
  assert.equal(connections, 100);
});

test('with any number of watchers, all are checked once per beat, until the last watcher has gone', async () => {
  const beats: (() => void)[] = [];
  let rounds = 0;
  const allKnown = () => {
    rounds += 1;
    return [];
  };
  const pause = (_: number, signal?: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    beats.push(resolve);
    signal?.addEventListener('abort', () => resolve());
    return promise;
  };
  const beat = async () => {
    for (const end of beats.splice(0)) end();
    await new Promise(setImmediate);
  };
  const watch = createRechecks(allKnown, () => {}, pause);
  const [one, other] = [new AbortController(), new AbortController()];
  watch(one.signal);
  watch(other.signal);
  watch(AbortSignal.abort());
  await beat();
  assert.equal(rounds, 1);
  one.abort();
  await beat();
  assert.equal(rounds, 2);
  other.abort();
  await beat();
  assert.deepEqual([rounds, beats.length], [2, 0]);
  watch(new AbortController().signal);
  await beat();
  assert.equal(rounds, 3);
});
