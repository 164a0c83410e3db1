import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ask } from './asking.ts';
import { createTerminal } from './terminal.ts';

function watched() {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  return { stream, text: () => String(stream.read() ?? '') };
}

const hostile = 'a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\x9b5nd\r\u202ee\x1b[8mf';

test('control sequences of a service or a folder do not reach a terminal', () => {
  const [out, err] = [watched(), watched()];
  const terminal = createTerminal({ stdin: new PassThrough(), stdout: out.stream, stderr: err.stream, env: {} }, false);
  terminal.printNote(hostile);
  terminal.print(hostile);
  terminal.fail(hostile);
  for (const shown of [out.text(), err.text()]) {
    assert.match(shown, /a.*b.*c.*d.*e.*f/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    assert.doesNotMatch(shown, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});

test('lines and colours of the command itself stay, and a program gets what was said as it was', () => {
  const [out, err] = [watched(), watched()];
  const streams = { stdin: new PassThrough(), stdout: out.stream, stderr: err.stream, env: {} };
  const { paint, print } = createTerminal(streams, false);
  print(`${paint('bold', 'shop')}: ${paint('green', 'running')}\n  ${paint('dim', 'more')}`);
  assert.equal(out.text(), '\x1b[1mshop\x1b[22m: \x1b[32mrunning\x1b[39m\n  \x1b[2mmore\x1b[22m\n');
  out.stream.isTTY = false;
  createTerminal(streams, false).print(hostile);
  assert.equal(out.text(), `${hostile}\n`);
});

test('a question shows an answer that a folder proposes without what a terminal obeys', async () => {
  const [input, err] = [watched(), watched()];
  const requested = ask('NAME [\x1b]0;evil\x07\x1b[2Jproposed]', {
    streams: { stdin: input.stream, stderr: err.stream },
    signal: new AbortController().signal,
    isSecret: false,
  });
  input.stream.write('yes\n');
  assert.equal(await requested, 'yes');
  const shown = err.text();
  assert.match(shown, /proposed/);
  assert.ok(!shown.includes('evil') && !shown.includes('\x1b[2J'), JSON.stringify(shown));
});
