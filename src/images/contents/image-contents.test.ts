import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { extract, type Header, pack } from 'tar-stream';
import { type ImageContent, readContents } from './image-contents.ts';

type Entry = Partial<Header> & { name: string; has?: string };

const { signal } = new AbortController();
const folder = (name: string, more: Partial<Header> = {}): Entry => ({ name, type: 'directory', ...more });
const file = (name: string, has: string, more: Partial<Header> = {}): Entry => ({ name, has, ...more });
const link = (name: string, linkname: string): Entry => ({ name, type: 'symlink', linkname });
const again = (name: string, linkname: string): Entry => ({ name, type: 'link', linkname });

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { has = '', ...header } of entries) tar.entry({ mtime: new Date(0), ...header }, has);
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>));
}

/** The content of an image with these layers at the path. */
async function contentOf(path: string, ...layers: (readonly Entry[] | Buffer)[]): Promise<ImageContent | undefined> {
  const tars = await Promise.all(layers.map((layer) => (Buffer.isBuffer(layer) ? layer : tarOf(layer))));
  // Simulates a writer that reuses its buffer after each accepted piece.
  const unpack = async (layer: number, out: Writable) => {
    const place = Buffer.alloc(700);
    for (let at = 0; at < tars[layer]!.length; at += place.length) {
      const piece = place.subarray(0, tars[layer]!.copy(place, 0, at, at + place.length));
      await new Promise<void>((done, failed) => out.write(piece, (error) => (error ? failed(error) : done())));
    }
    out.end();
  };
  const wanted = { image: './shop:1', layers: tars.length, unpack, paths: [path] };
  return (await readContents(wanted, signal)).get(path);
}

async function toldOf(content: ImageContent | undefined): Promise<string[]> {
  assert.ok(content, 'it has nothing there');
  const pieces: Uint8Array[] = [];
  await content.read(new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) }), signal);
  const tar = Buffer.concat(pieces);
  assert.equal(tar.length, content.sizeBytes);
  const reported: string[] = [];
  const entries = extract();
  entries.end(tar);
  for await (const entry of entries) {
    const { name, mode = 0, uid, gid, linkname } = entry.header;
    const has = await text(entry);
    reported.push(`${name} ${mode.toString(8)} ${uid}:${gid} ${linkname ? `→ ${linkname}` : has}`.trim());
  }
  return reported;
}

test('a volume begins with what all layers together have at its path, with owners and modes', async () => {
  const content = await contentOf(
    '/srv/data',
    [folder('srv/'), folder('srv/data/'), file('srv/data/old', 'of below'), file('srv/data/both', 'of below')],
    [
      folder('srv/data/', { mode: 0o2750, uid: 1234, gid: 567 }),
      file('srv/data/both', 'of above', { mode: 0o4711, uid: 7 }),
      link('srv/data/link', '/etc/passwd'),
      again('srv/data/again', 'srv/data/both'),
      file('srv/other', 'elsewhere'),
    ],
  );
  assert.equal(content?.contentBytes, 'of below'.length + 'of above'.length);
  assert.deepEqual(await toldOf(content), [
    'old 644 0:0 of below',
    './ 2750 1234:567',
    'both 4711 7:0 of above',
    'link 644 0:0 → /etc/passwd',
    'again 644 0:0 → both',
  ]);
});

test('what an upper layer removes, hides or replaces is not there, and what it says itself is', async () => {
  const below = [folder('data/'), file('data/a', '1'), folder('data/b/'), file('data/b/c', '2'), file('data/d/e', '3')];
  const reported = async (...above: Entry[]) => await toldOf(await contentOf('/data', below, above));
  assert.deepEqual(await reported(file('data/.wh.a', ''), file('data/b', 'a file')), [
    './ 755 0:0',
    'd/e 644 0:0 3',
    'b 644 0:0 a file',
  ]);
  assert.deepEqual(await reported(file('data/new', 'n'), file('data/.wh..wh..opq', '')), [
    './ 755 0:0',
    'new 644 0:0 n',
  ]);
  assert.deepEqual(await reported(file('data/b/.wh..wh..opq', ''), file('data/b/f', 'n')), [
    './ 755 0:0',
    'a 644 0:0 1',
    'b/ 755 0:0',
    'd/e 644 0:0 3',
    'b/f 644 0:0 n',
  ]);
});

test('a path that leads over links is followed within the image, and one where it has nothing is left out', async () => {
  const image = [link('var/run', '../../../run'), folder('run/'), file('run/app/pid', '7'), folder('empty/')];
  assert.deepEqual(await toldOf(await contentOf('/var/run/app', image)), ['pid 644 0:0 7']);
  for (const path of ['/empty', '/nowhere', '/run/app/pid'])
    assert.equal(await contentOf(path, image), undefined, path);
});

test('an image that cannot be read, or whose files are names of others elsewhere, is refused in words', async () => {
  await assert.rejects(contentOf('/data', Buffer.alloc(1024, 'no tar')), {
    kind: 'bad-request',
    message: 'Image ./shop:1 has a layer that cannot be read.',
  });
  const short = (await tarOf([file('data/a', 'x'.repeat(5000))])).subarray(0, 2048);
  await assert.rejects(contentOf('/data', short), /has a layer that cannot be read/);
  await assert.rejects(contentOf('/data', [file('etc/a', '1'), again('data/a', 'etc/a')]), /another name of a file/);
  await assert.rejects(
    contentOf('/data', [file(`data/${'x/'.repeat(3000)}y`, '1')]),
    /too many files, or too long names/,
  );
});
