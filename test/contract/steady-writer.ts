/**
 * Writes a number to a file of each given folder, one folder after another, then to the standard output, and continues
 * with the next number: printed numbers are on the disk.
 */
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const files = process.argv.slice(2).map((folder) => openSync(join(folder, 'numbers'), 'a'));
for (let number = 1; ; number++) {
  for (const file of files) {
    writeSync(file, `${number}\n`);
    fdatasyncSync(file);
  }
  writeSync(1, `${number}\n`);
}
