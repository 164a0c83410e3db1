/** The past and new output of a workload, through its restarts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import type { LogLine, LogsFollowed } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';
import { decode, written } from './program.ts';
import { createVolume, type Scene } from './scene.ts';

const never = new AbortController().signal;

export function logsContract({ contractor, newScene }: Stage): void {
  /** All lines as they are: until the end, or up to the count. */
  async function follow(name: string, wanted: LogsFollowed = {}, count = Number.POSITIVE_INFINITY): Promise<string[]> {
    const enough = new AbortController();
    const lines: string[] = [];
    for await (const { text } of contractor().engine.followLogs(name, wanted, enough.signal)) {
      lines.push(text);
      if (lines.length === count) enough.abort();
    }
    return lines;
  }

  /** It writes two lines at each start, and crashes so often; then it stays. It counts in a volume, which outlives it. */
  const talker = (scene: Scene, crashes: number) =>
    scene.workload('talker', {
      command: ['talk', `${crashes}`],
      ports: [],
      volumes: [{ volume: 'starts', mountPath: '/srv' }],
      readiness: { kind: 'running' },
    });

  async function startTalker(scene: Scene, workload: Workload): Promise<void> {
    await scene.execute(createVolume('starts'));
    await scene.start(workload);
  }

  test('logs are the last lines, oldest first; a workload that is gone has none', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'print-arguments', 'one', 'two', 'three');
    await scene.output(job);
    assert.deepEqual(await written(contractor().engine, job.name, 2), ['two', 'three']);
    await scene.execute({ kind: 'remove', name: job.name });
    assert.deepEqual(await written(contractor().engine, job.name, 2), []);
    assert.deepEqual(await follow(job.name), []);
  });

  test('followed logs are all lines from the start, and end with the workload', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'print-arguments', 'one', 'two');
    await scene.output(job);
    const lines = await Array.fromAsync(contractor().engine.followLogs(job.name, {}, never), ({ text }) =>
      decode(text),
    );
    assert.deepEqual(lines, ['one', 'two']);
  });

  test('followed logs go on through restarts, and bring each line once', async () => {
    const scene = newScene();
    const workload = talker(scene, 3);
    await startTalker(scene, workload);
    const [lines] = await Promise.all([
      follow(workload.name, {}, 8),
      scene.until(workload, ({ restarts }) => restarts === 3),
    ]);
    assert.deepEqual(
      lines,
      [1, 2, 3, 4].flatMap((number) => [`start ${number}`, `and ${number}`]),
    );
  });

  test('what was read is not followed again, and what was not read is', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'print-arguments', 'one', 'two', 'three');
    await scene.output(job);
    const [two, three] = await contractor().engine.logs(job.name, { tail: 2 });
    assert.deepEqual((await follow(job.name, { after: two!.mark })).map(decode), ['three']);
    assert.deepEqual(await follow(job.name, { after: three!.mark }), []);
  });

  test('of a workload that was removed and made again under its name all lines are followed', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'print-arguments', 'one', 'two');
    await scene.output(job);
    const [last] = await contractor().engine.logs(job.name, { tail: 1 });
    await scene.execute({ kind: 'remove', name: job.name });
    await scene.output(job);
    assert.deepEqual((await follow(job.name, { after: last!.mark })).map(decode), ['one', 'two']);
  });

  test('followed logs contain no lines older than requested', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'print-arguments', 'one', 'two');
    await scene.output(job);
    const [, two] = await contractor().engine.logs(job.name, { tail: 2 });
    assert.deepEqual((await follow(job.name, { since: two!.at })).map(decode).at(-1), 'two');
    assert.deepEqual(await follow(job.name, { since: two!.at + 1 }), []);
  });

  test('a line is returned with its stream, and found by it, if the engine distinguishes streams', async () => {
    const scene = newScene();
    const job = scene.job('printer', 'complain', 'well', 'not well');
    await scene.output(job);
    const { engine } = contractor();
    const reported = (lines: LogLine[]) => lines.map(({ stream, text }) => `${stream} ${text}`).toSorted();
    const both = engine.separatesStreams
      ? ['stderr not well', 'stdout well']
      : ['undefined not well', 'undefined well'];
    assert.deepEqual(reported(await engine.logs(job.name, { tail: 10 })), both);
    assert.deepEqual(reported(await Array.fromAsync(engine.followLogs(job.name, {}, never))), both);
    const matches = ({ stream }: { stream?: string }) => stream === 'stderr';
    const found = await engine.logs(job.name, { tail: 10, matches });
    assert.deepEqual(reported(found), engine.separatesStreams ? both.slice(0, 1) : []);
  });

  test('of all lines those that match are found, the last ones first when there are more', async () => {
    const scene = newScene();
    const words = Array.from({ length: 120 }, (_, index) => (index % 100 === 5 ? `found-${index}` : `line-${index}`));
    const job = scene.job('printer', 'print-arguments', ...words);
    await scene.output(job);
    const matches = ({ text }: { text: string }) => decode(text).startsWith('found');
    const found = async (tail: number) =>
      (await contractor().engine.logs(job.name, { tail, matches })).map(({ text }) => decode(text));
    assert.deepEqual(await found(10), ['found-5', 'found-105']);
    assert.deepEqual(await found(1), ['found-105']);
  });

  test('earlier lines are the last ones that are not newer than an instant', async () => {
    const scene = newScene();
    const workload = talker(scene, 2);
    await startTalker(scene, workload);
    await Promise.all([follow(workload.name, {}, 6), scene.until(workload, ({ restarts }) => restarts === 2)]);
    const { engine } = contractor();
    const all = await engine.logs(workload.name, { tail: 100 });
    const [, , third] = all.slice(-4);
    const earlier = await engine.logs(workload.name, { tail: 100, until: third!.at });
    assert.ok(earlier.length > 0);
    assert.deepEqual(
      earlier.map(({ mark }) => mark),
      all.filter(({ at }) => at <= third!.at).map(({ mark }) => mark),
    );
    assert.deepEqual(
      (await engine.logs(workload.name, { tail: 1, until: third!.at })).map(({ text }) => text),
      earlier.slice(-1).map(({ text }) => text),
    );
  });

  test('previous lines are those from before the last start', async () => {
    const scene = newScene();
    const { engine } = contractor();
    const workload = talker(scene, 2);
    const previous = async (tail: number) =>
      (await engine.logs(workload.name, { tail, isPrevious: true })).map(({ text }) => text);
    await startTalker(scene, workload);
    await Promise.all([follow(workload.name, {}, 6), scene.until(workload, ({ restarts }) => restarts === 2)]);
    const kept = contractor().keepsEveryStart ? ['start 1', 'and 1', 'start 2', 'and 2'] : ['start 2', 'and 2'];
    assert.deepEqual(await previous(100), kept);
    assert.deepEqual(await previous(1), ['and 2']);
  });

  test('the last lines after a restart are those of this run and of the previous one', async () => {
    const scene = newScene();
    const workload = talker(scene, 1);
    await startTalker(scene, workload);
    await Promise.all([follow(workload.name, {}, 4), scene.until(workload, ({ restarts }) => restarts === 1)]);
    const lines = await contractor().engine.logs(workload.name, { tail: 100 });
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['start 1', 'and 1', 'start 2', 'and 2'],
    );
  });

  test('a workload that was never restarted has no previous lines', async () => {
    const scene = newScene();
    const workload = talker(scene, 0);
    await startTalker(scene, workload);
    assert.deepEqual(await follow(workload.name, {}, 2), ['start 1', 'and 1']);
    assert.deepEqual(await contractor().engine.logs(workload.name, { tail: 10, isPrevious: true }), []);
  });
}
