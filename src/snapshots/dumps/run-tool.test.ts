import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execHere } from '../../../test/support/exec-here.ts';
import { runTool, type ToolRun } from './run-tool.ts';

const exec = execHere();

function run(script: string, more: Partial<ToolRun> = {}): Promise<void> {
  const { signal: stop } = new AbortController();
  const tool = { what: 'its tool', command: ['sh', '-c', script] };
  return runTool(tool, { exec, workload: 'db', take() {}, maxBytes: 1000, withinMs: 600_000, stop, ...more });
}

async function* pieces(count: number) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(100_000);
}

test('a tool that closes its outputs and goes on is ended when its time is over, and that is what is said', async () => {
  await assert.rejects(
    run('exec >&- 2>&-; exec sleep 600', { withinMs: 500 }),
    /^SnapshotFault: its tool had not finished/,
  );
});

test('a tool that has read all of its input and ends with 0 is done, and one that has not is not', async () => {
  let bytes = '';
  const take = (piece: Uint8Array) => {
    bytes += Buffer.from(piece).toString();
  };
  await run('wc -c', { input: pieces(20), take });
  assert.equal(bytes.trim(), '2000000');
  await assert.rejects(run('head -c 10 >/dev/null', { input: pieces(20) }), /ended before it had read everything/);
});

test('nothing more of its input is read for a tool that has failed', async () => {
  let read = 0;
  let isClosed = false;
  const input = (async function* () {
    try {
      for await (const piece of pieces(500)) {
        read++;
        yield piece;
      }
    } finally {
      isClosed = true;
    }
  })();
  await assert.rejects(run('echo its words >&2; exit 3', { input }), (fault: { ownersWords?: string }) => {
    assert.equal(fault.ownersWords, 'its tool ended with 3. It said: its words');
    return true;
  });
  assert.ok(isClosed && read < 500, `${read} pieces`);
});

test('an input that cannot be read ends the tool that waits for it', async () => {
  const input = (async function* () {
    yield Buffer.from('a');
    throw new Error('the disk is broken');
  })();
  await assert.rejects(run('exec cat', { input }), /the disk is broken/);
});
