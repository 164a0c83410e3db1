/**
 * Writes to a folder in every way that a file system knows: in place, at the end, into holes and into what is allocated and
 * empty, and removes files; some of it synced. Says so once, when it has begun, and goes on until it is killed.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2]!;
const path = (name: string) => join(folder, name);
const block = (number: number) => Buffer.alloc(4096, `${number} `);
const large = openSync(path('large'), 'w+');
const emptyBytes = 4 * 2 ** 20;
// Before this process may be killed, because a child would have the file open for longer.
execFileSync('fallocate', ['--length', String(emptyBytes), path('empty')]);
const empty = openSync(path('empty'), 'r+');
for (let number = 0; ; number++) {
  writeSync(large, block(number), 0, 4096, ((number * 7919) % 2000) * 4096);
  if (number % 3 === 0) fsyncSync(large);
  const small = path(`small-${number % 50}`);
  if (number % 7 === 0) rmSync(small, { force: true });
  const file = openSync(small, 'a');
  for (let each = 0; each < number % 9; each++) writeSync(file, block(number));
  closeSync(file);
  writeSync(empty, 'x', (number * 104_729) % emptyBytes);
  if (number === 40) process.stdout.write('writes\n');
}
