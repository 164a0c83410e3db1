/** Compresses files when they are built, instead of at every start of the service. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Quality 9: 11 is 2 % smaller and takes eight times as long. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Writes `NAME.br` and `NAME.gz` next to each text in this folder and the folders in it. */
export async function compressFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!/\.(?:js|css|html|json|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, quality));
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
}
