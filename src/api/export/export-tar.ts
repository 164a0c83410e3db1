/** An export as one tar, written as fast as it is read. */
import { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { layoutFolder } from '../../config/export/compose-file.ts';
import type { BlobFolder } from '../../images/blobs/blob-folder.ts';
import { blobPath } from '../../images/pushed/oci-layout.ts';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import type { ExportedApplication } from './exported-application.ts';

type Source = { exported: ExportedApplication; blobs: BlobFolder | undefined; at: number; signal: AbortSignal };

/** An incomplete export is an error of the stream. A reader that saw its end has the whole export. */
export function packExport(source: Source): Readable {
  const tar = pack();
  const abort = () => tar.destroy(new Error('the export was given up'));
  source.signal.addEventListener('abort', abort, { once: true });
  writeAll(tar, source).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  const stream = Readable.from(tar, { objectMode: false });
  // Readers get the error, too.
  tar.on('error', () => {});
  stream.on('error', () => {});
  return stream;
}

async function writeAll(tar: Pack, { exported, blobs, at, signal }: Source): Promise<void> {
  const { name, texts, archives, layout } = exported;
  // Secrets may be in any of them.
  const header = (path: string, mode = 0o600) => ({ name: `${name}/${path}`, mode, mtime: new Date(at) });
  for (const { path, content, isProgram } of texts)
    await addTarText(tar, header(path, isProgram ? 0o700 : 0o600), content);
  for (const { path, content } of layout.documents) await addTarText(tar, header(`${layoutFolder}/${path}`), content);
  for (const { digest, sizeBytes: size } of layout.blobs) {
    const blob = await blobs?.read(digest);
    if (!blob) throw new Error(`the blob ${digest} is not here any more`);
    await addWhole(tar, { ...header(`${layoutFolder}/${blobPath(digest)}`), size }, blob.stream);
  }
  for (const { file, archive } of archives)
    await addWhole(tar, { ...header(file), size: archive.sizeBytes }, archive.read(signal));
}

async function addWhole(tar: Pack, header: Parameters<typeof addTarPieces>[1], stream: Readable): Promise<void> {
  const written = await addTarPieces(tar, header, stream);
  if (written !== header.size) throw new Error(`${header.name} has ${written} bytes instead of ${header.size}`);
}
