import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { receiveForm } from './receive-form.ts';
import { SourceError } from './source-entry.ts';

const folder = await mkdtemp(join(tmpdir(), 'berth-form-'));
after(() => rm(folder, { recursive: true }));
const limits = { maxBytes: 2 ** 20, place: (number: number) => join(folder, `archive-${number}`) };

/** Sends the form like a client, in pieces of this size. */
async function sent(form: FormData, { piece = 1_000, cutAt = Number.POSITIVE_INFINITY } = {}) {
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const bytes = Buffer.from(await request.arrayBuffer()).subarray(0, cutAt);
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) =>
    bytes.subarray(at * piece, (at + 1) * piece),
  );
  return await receiveForm(Readable.from(pieces, { objectMode: false }), request.headers.get('content-type')!, limits);
}

function formOf(parts: [name: string, content: string | Blob][]): FormData {
  const form = new FormData();
  for (const [name, content] of parts)
    if (typeof content === 'string') form.append(name, content);
    else form.append(name, content, 'file');
  return form;
}

test('the configuration and the archives of a form are received, the configuration as a field or a file', async () => {
  for (const config of ['application: {}', new Blob(['application: {}'])]) {
    const { document, archives } = await sent(
      formOf([
        ['config', config],
        ['./apps/web', new Blob(['one'])],
        ['source', new Blob(['two'])],
      ]),
      {
        piece: 7,
      },
    );
    assert.equal(document, 'application: {}');
    assert.deepEqual(
      archives.map(({ at }) => at),
      ['apps/web', ''],
    );
    assert.deepEqual(await Promise.all(archives.map(({ file }) => readFile(file, 'utf8'))), ['one', 'two']);
  }
});

for (const [what, parts, says] of [
  ['a path that leads out', [['../etc', new Blob(['x'])]], /not the name of a folder/],
  ['an absolute path', [['/etc', new Blob(['x'])]], /not the name of a folder/],
  ['an unknown field', [['other', 'text']], /neither config nor a file/],
  [
    'two configurations',
    [
      ['config', 'a'],
      ['config', 'b'],
      ['web', new Blob(['x'])],
    ],
    /two parts named config/,
  ],
  ['a configuration alone', [['config', 'a']], /no archive/],
  ['too many archives', Array.from({ length: 30 }, (_, at) => [`web${at}`, new Blob(['x'])]), /more than 20 archives/],
  ['too many bytes', [['web', new Blob([Buffer.alloc(2 ** 20)])]], /larger than 1 MiB/],
] as [string, [string, string | Blob][], RegExp][])
  test(`a form with ${what} is refused`, async () => {
    await assert.rejects(sent(formOf(parts)), (error) => error instanceof SourceError && says.test(error.message));
  });

test('a form that breaks off at any byte is refused', async () => {
  const form = formOf([
    ['config', 'application: {}'],
    ['web', new Blob(['x'.repeat(500)])],
  ]);
  for (const cutAt of [1, 40, 120, 200, 300, 500, 700])
    await assert.rejects(sent(form, { cutAt }), (error) => error instanceof SourceError);
  await assert.rejects(receiveForm(Readable.from([]), 'multipart/form-data', limits), /no boundary/);
});
