import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createTerminal } from '../terminal.ts';
import { printBuildLog } from './build-log.ts';
import type { Context } from './command.ts';

const output = 'STEP 1/1: RUN make\n\x1b[31mred\x1b[0m\x1b[2J\x1b]0;title\x07\n';

async function printed({ isTTY, env = {} }: { isTTY: boolean; env?: Record<string, string> }) {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough(), env };
  const queries: Record<string, unknown>[] = [];
  const open = async (_: string, { query }: { query: Record<string, unknown> }) => {
    queries.push(query);
    return { ok: true, value: new Response(output) };
  };
  const context = { terminal: createTerminal(streams, false), connection: { client: { open } }, options: {} };
  const status = await printBuildLog(context as unknown as Context, { applicationName: 'shop', environment: 'a' });
  assert.equal(status, 0);
  return { text: await text(stdout.end()), colors: queries[0]!.colors };
}

test('the output of a build has its colors on a terminal, and no other commands', async () => {
  const shown = await printed({ isTTY: true });
  assert.deepEqual([shown.text, shown.colors], ['STEP 1/1: RUN make\n\x1b[31mred\x1b[0m\n', 'true']);
});

test('without colors on the terminal, and for a program, none are requested', async () => {
  const without = await printed({ isTTY: true, env: { NO_COLOR: '1' } });
  assert.deepEqual([without.text, without.colors], ['STEP 1/1: RUN make\nred\n', undefined]);
  assert.equal((await printed({ isTTY: false })).colors, undefined);
});
