/** The facet `exec`: commands in containers of workloads that run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import type { RunningExec } from '../../src/engine/exec.ts';
import { until } from '../scenarios/berth.ts';
import type { Stage } from './engine.ts';
import { decode, entrypoint } from './program.ts';

type Written = { stdout: string; stderr: string };

/** The complete output. */
export async function writtenBy(exec: RunningExec): Promise<Written> {
  const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { from, bytes } of exec.output) parts[from].push(bytes);
  return { stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() };
}

/** Reads until it has written a text, and to its end. */
export function createReader(exec: RunningExec) {
  const pieces = exec.output[Symbol.asyncIterator]();
  let seen = '';
  return {
    async to(text: string): Promise<void> {
      while (!seen.includes(text)) {
        const { done, value } = await pieces.next();
        assert.ok(!done, `it ended without ${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
        seen += Buffer.from(value.bytes).toString();
      }
      seen = '';
    },
    async end(): Promise<void> {
      while (!(await pieces.next()).done);
    },
  };
}

/** Ignores signals to end, as does its child. */
export const stubborn =
  'trap "" HUP TERM INT; sh -c "trap \'\' HUP TERM INT; while :; do sleep 7171; done" & echo started; while :; do sleep 7272; done';

export function execContract({ contractor, newScene }: Stage): void {
  const exec = () => facetOf(contractor().engine, 'exec');

  async function runningWeb() {
    const scene = newScene();
    const web = scene.workload('web', { env: { COLOUR: 'deep blue' } });
    await scene.start(web);
    await scene.ready(web);
    const run = async (...command: string[]) => {
      await using running = await exec().start(web.name, { command });
      running.endInput();
      const written = await writtenBy(running);
      return { ...written, code: await running.exitCode() };
    };
    return { scene, web, run };
  }

  test('a command gets its arguments unchanged, and its exit code is returned', async () => {
    const { run } = await runningWeb();
    const words = ['two words', '$HOME', '', "it's"];
    const printed = await run(...entrypoint, 'print-arguments', ...words);
    assert.deepEqual(printed.stdout.trimEnd().split('\n').map(decode), words);
    assert.deepEqual([printed.code, printed.stderr], [0, '']);
    assert.equal((await run(...entrypoint, 'exit', '3')).code, 3);
  });

  test('it has the variables of its container', async () => {
    const { run } = await runningWeb();
    const { stdout } = await run(...entrypoint, 'print-environment');
    assert.ok(decode(stdout).split('\0').includes('COLOUR=deep blue'), decode(stdout));
  });

  test('its two outputs are separate', async () => {
    const { run } = await runningWeb();
    assert.deepEqual(await run('/bin/sh', '-c', 'echo one; echo two >&2; exit 5'), {
      stdout: 'one\n',
      stderr: 'two\n',
      code: 5,
    });
  });

  test('what it is given on its input arrives, to the end of that, and its writer leaves nothing behind', async (t) => {
    const { web } = await runningWeb();
    await using running = await exec().start(web.name, { command: ['cat'] });
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    t.after(() => process.off('warning', warn));
    const text = 'line\n'.repeat(1_000_000);
    const written = writtenBy(running);
    for (let at = 0; at < text.length; at += 50_000) await running.write(Buffer.from(text.slice(at, at + 50_000)));
    running.endInput();
    const { stdout } = await written;
    // Node warns of more than ten listeners on one connection.
    assert.deepEqual(warnings, []);
    assert.equal(stdout.length, text.length);
    assert.equal(await running.exitCode(), 0);
    assert.equal(await running.write(Buffer.from('late')), false, 'it has ended');
  });

  test('with a terminal it gets its size, and each change of it', async () => {
    const { web } = await runningWeb();
    const terminal = { columns: 101, rows: 31 };
    await using running = await exec().start(web.name, { command: ['/bin/sh'], terminal });
    const reader = createReader(running);
    await running.write(Buffer.from('stty size\n'));
    await reader.to('31 101');
    await running.resize({ columns: 55, rows: 22 });
    await running.write(Buffer.from('stty size\n'));
    await reader.to('22 55');
    await running.write(Buffer.from('exit 7\n'));
    await reader.end();
    assert.equal(await running.exitCode(), 7);
  });

  test('one that does not end by itself is ended, and its container goes on', async () => {
    const { scene, web } = await runningWeb();
    const running = await exec().start(web.name, { command: [...entrypoint, 'idle'] });
    const written = writtenBy(running);
    await running[Symbol.asyncDispose]();
    assert.deepEqual(await written, { stdout: '', stderr: '' });
    await running.write(Buffer.from('this is never read'));
    assert.equal((await scene.find(web))?.phase, 'running');
    assert.equal((await scene.find(web))?.restarts, 0);
  });

  for (const terminal of [undefined, { columns: 80, rows: 24 }])
    test(`one ${terminal ? 'with' : 'without'} a terminal that was given up ends with its children, even if they ignore signals`, async (t) => {
      if (!contractor().hasRealAddresses) return t.skip('nothing really runs there');
      const { web, run } = await runningWeb();
      const commands = async () => {
        const { stdout } = await run('/bin/sh', '-c', 'cat /proc/[0-9]*/cmdline');
        return ['7171', '7272'].filter((seconds) => stdout.includes(`sleep\0${seconds}`));
      };
      const running = await exec().start(web.name, { command: ['/bin/sh', '-c', stubborn], terminal });
      await createReader(running).to('started');
      await until('both sleep', async () => (await commands()).length === 2 || undefined);
      await running[Symbol.asyncDispose]();
      assert.deepEqual(await commands(), []);
    });

  test('it ends with its container', async () => {
    const { scene, web } = await runningWeb();
    await using running = await exec().start(web.name, { command: [...entrypoint, 'idle'] });
    const written = writtenBy(running);
    await scene.execute({ kind: 'remove', name: web.name });
    await written;
    await running.exitCode();
  });

  test('a program that is not in the image is refused in words, and so is a workload that does not run', async () => {
    const { scene, web } = await runningWeb();
    const absent = {
      kind: 'bad-request',
      message: '"no-such-program" cannot be run: its image does not contain this program.',
    };
    await assert.rejects(exec().start(web.name, { command: ['no-such-program', 'secret'] }), absent);
    const terminal = { columns: 80, rows: 24 };
    await assert.rejects(exec().start(web.name, { command: ['no-such-program'], terminal }), absent);
    const job = scene.job('once', 'exit', '0');
    await scene.start(job);
    await scene.ready(job);
    for (const name of [job.name, `${web.name}-more`])
      await assert.rejects(exec().start(name, { command: ['/bin/sh'] }), { kind: 'not-running' });
  });

  test("commands cannot run in a neighbour's container", async () => {
    const { web } = await runningWeb();
    await assert.rejects(facetOf(contractor().neighbour, 'exec').start(web.name, { command: ['/bin/sh'] }), {
      kind: 'not-running',
    });
  });
}
