/** A form (multipart/form-data) with a configuration, and an archive for each folder that is built. It may be hostile. */
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { maxDocumentBytes } from '../config/document/source.ts';
import { boundBytes } from './bound-bytes.ts';
import { SourceError } from './source-entry.ts';
import type { SourcePart } from './unpack-source.ts';

export type Form = {
  document: string | undefined;
  archives: SourcePart[];
};

/** The name of the part with the configuration. */
const configurationPart = 'config';

const most = { archives: 20, parts: 32, nameBytes: 200, folderDepth: 8 };
const folderName = /^[A-Za-z0-9_][\w.-]{0,63}$/;

/** `place`: returns the file for an archive. Throws SourceError. */
export async function receiveForm(
  body: Readable,
  contentType: string,
  { maxBytes, place }: { maxBytes: number; place: (number: number) => string },
): Promise<Form> {
  const form: Form = { document: undefined, archives: [] };
  const files: Readable[] = [];
  const writing: Promise<unknown>[] = [];
  const write = (work: Promise<unknown>) => {
    // The failure is handled after the whole form has arrived.
    work.catch(() => {});
    writing.push(work);
  };
  const parser = openParser(contentType, maxBytes);
  const fail = (message: string, isTooLarge = false) => parser.destroy(new SourceError(message, { isTooLarge }));
  const setDocument = (text: string) => {
    if (form.document !== undefined) fail(`The form has two parts named ${configurationPart}.`);
    form.document = text;
  };
  parser.on('field', (name, value, _, isCut) => {
    if (name !== configurationPart) fail(`${shown(name)} is neither ${configurationPart} nor a file.`);
    else if (isCut) fail('The configuration is too large.', true);
    else setDocument(value);
  });
  parser.on('file', (name, file) => {
    const folder = folderOf(name);
    files.push(file);
    if (name === configurationPart) write(textOf(file).then(setDocument));
    else if (folder === undefined) {
      file.resume();
      fail(`${shown(name)} is not the name of a folder.`);
    } else {
      const to = place(form.archives.length);
      form.archives.push({ file: to, at: folder });
      write(pipeline(file, createWriteStream(to, { mode: 0o600 })));
    }
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => fail(`The form has more than ${most.archives} archives.`, true));
  const bound = boundBytes(maxBytes, `The form is larger than ${maxBytes / 2 ** 20} MiB.`);
  const parsed = await Promise.allSettled([pipeline(body, bound, parser)]);
  // The parser does not close the files of a broken form.
  if (parsed[0]!.status === 'rejected') for (const file of files) file.destroy();
  const results = [...parsed, ...(await Promise.allSettled(writing))];
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  const refusal = failures.find((reason) => reason instanceof SourceError);
  if (refusal) throw refusal;
  if (failures.length > 0) throw new SourceError('The form is damaged or incomplete.', { cause: failures[0] });
  if (form.archives.length === 0) throw new SourceError('The form has no archive. Send one for each folder.');
  return form;
}

function openParser(contentType: string, fileSize: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        ...{ fileSize, files: most.archives + 1, fields: 2, parts: most.parts, headerPairs: 20 },
        ...{ fieldSize: maxDocumentBytes, fieldNameSize: most.nameBytes },
      },
    });
  } catch (error) {
    throw new SourceError('The content type of the form has no boundary.', { cause: error });
  }
}

/** `source` is the whole project. Undefined for a name that is not a relative path. */
function folderOf(name: string): string | undefined {
  if (name === 'source' || name === '.') return '';
  const parts = name.replace(/^\.\//, '').replace(/\/$/, '').split('/');
  return parts.length <= most.folderDepth && parts.every((part) => folderName.test(part)) ? parts.join('/') : undefined;
}

async function textOf(file: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of file as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxDocumentBytes) throw new SourceError('The configuration is too large.', { isTooLarge: true });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
