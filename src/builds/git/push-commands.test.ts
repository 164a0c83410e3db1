import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { flush, PacketError, packet, readPackets } from './pkt-lines.ts';
import { advertisement, outcomeOf, readPush, shortRef, shownText } from './push-commands.ts';

const old = '0'.repeat(40);
const hash = 'a1'.repeat(20);
const capabilities = ' report-status side-band-64k agent=git/2.39.5';

async function* pieces(text: string, size: number) {
  const whole = Buffer.from(text, 'latin1');
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

const read = async (text: string, size = 7) => {
  const { commands, options, pack } = await readPush(pieces(text, size));
  return { commands, options, pack: Buffer.concat(await Array.fromAsync(pack)).toString('latin1') };
};

const command = (ref: string, to = hash) => packet(`${old} ${to} ${ref}\0${capabilities}\n`);

test('the commands of a push end with a flush, and the pack follows, however the body is cut', async () => {
  for (const size of [1, 3, 64, 10_000]) {
    const { commands, pack } = await read(`${command('refs/heads/main')}${flush}PACK1234`, size);
    assert.deepEqual(commands, [{ ref: 'refs/heads/main', hash }]);
    assert.equal(pack, 'PACK1234');
  }
});

test('a removal has no hash, a shallow clone names its commits, and a test of the connection has no commands', async () => {
  const shallow = packet(`shallow ${hash}\n`);
  const { commands } = await read(`${shallow}${command('refs/heads/gone', old)}${flush}`);
  assert.deepEqual(commands, [{ ref: 'refs/heads/gone', hash: undefined }]);
  assert.deepEqual(await read(flush), { commands: [], options: [], pack: '' });
});

test('options follow the commands if the client announces them', async () => {
  const announced = packet(`${old} ${hash} refs/heads/main\0${capabilities} push-options\n`);
  const { options, pack } = await read(`${announced}${flush}${packet('path=web')}${packet('a=b')}${flush}PACK`);
  assert.deepEqual([options, pack], [['path=web', 'a=b'], 'PACK']);
  await assert.rejects(read(`${announced}${flush}PACK`), PacketError);
});

test('a body of any bytes is read or refused', async () => {
  const start = `${command('refs/heads/main')}${flush}`;
  await fc.assert(
    fc.asyncProperty(fc.nat(start.length - 1), fc.nat(255), async (at, byte) => {
      const changed = start.slice(0, at) + String.fromCharCode(byte) + start.slice(at + 1);
      const error = await read(changed).then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.ok(error === undefined || error instanceof PacketError, String(error));
    }),
  );
});

test('a body that is not a push, has too many commands, or cannot be answered is refused', async () => {
  const bad = [
    '',
    'PACK',
    packet('hello'),
    packet('hello') + flush,
    command('refs/heads/main'),
    command('HEAD') + flush,
    command('refs/heads/main', 'abc') + flush,
    packet(`${old} ${hash} refs/heads/main\0 report-status\n`) + flush,
    command('refs/heads/x'.padEnd(900, 'x')).repeat(200),
  ];
  for (const text of bad) await assert.rejects(read(text), PacketError, text.slice(0, 100));
});

test('the names of refs are text in any encoding, and the answer repeats their bytes', async () => {
  for (const name of ['--upload-pack=x', '$(x)', 'grö\u00dfe', 'a"b']) {
    const ref = `refs/heads/${Buffer.from(name).toString('latin1')}`;
    const line = `${old} ${hash} ${ref}\0${capabilities}\n`;
    const length = (Buffer.byteLength(line, 'latin1') + 4).toString(16).padStart(4, '0');
    const { commands } = await read(`${length}${line}${flush}`);
    assert.equal(shortRef(commands[0]!.ref), name);
    const answer = outcomeOf(commands, undefined);
    assert.ok(answer.includes(`refs/heads/${name}\n`), answer.toString());
  }
});

test('an answer has packets that old clients can read, and loses nothing', async () => {
  const text = 'ä line of a build\n'.repeat(1_000);
  let shown = Buffer.alloc(0);
  for await (const piece of readPackets([shownText(text)])) {
    assert.ok(piece && piece.length < 996);
    assert.equal(piece[0], 2);
    shown = Buffer.concat([shown, piece.subarray(1)]);
  }
  assert.equal(shown.toString(), text);
  assert.match(
    outcomeOf([{ ref: 'refs/heads/main', hash }], 'not deployed').toString(),
    /ng refs\/heads\/main not deployed\n/,
  );
  assert.match(advertisement, /^001f# service=git-receive-pack\n0000/);
});
