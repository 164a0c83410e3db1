import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { emptyStore } from '../test/support/empty-store.ts';
import { agreeOnInstallation, requireDatabase } from './data-directory.ts';
import { openStore } from './store/open.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-data-'));
});
afterEach(async () => await rm(dataDir, { recursive: true }));

const place = () => ({ dataDir, databaseUrl: undefined, databaseConnections: 1 });

test('a new data directory needs no database, and is noted as one of its installation', async () => {
  await requireDatabase(place());
  await using db = await emptyStore();
  await agreeOnInstallation(db, dataDir, 'me');
  await agreeOnInstallation(db, dataDir, 'me');
});

test('a database that is missing from a data directory that was used is a mistake, with three ways on', async () => {
  await using db = await emptyStore();
  await agreeOnInstallation(db, dataDir, 'me');
  const words = new RegExp(
    `belongs to me, but its database ${dataDir}/berth.db is missing[^]*1\\. Put [^]*2\\. Restore [^]*3\\. Begin [^]*label=berth.owner=me`,
  );
  await assert.rejects(requireDatabase(place()), { message: words });
  // The state after a killed start.
  await writeFile(join(dataDir, 'berth.db'), '');
  await assert.rejects(requireDatabase(place()), { message: words });
});

test('volumes without a database are a mistake too', async () => {
  await mkdir(join(dataDir, 'volumes', 'berth-shop-data'), { recursive: true });
  await assert.rejects(requireDatabase(place()), /holds 1 volume folder, but its database/);
});

test('a database of another installation is refused', async () => {
  await using db = await emptyStore();
  await agreeOnInstallation(db, dataDir, 'me');
  await assert.rejects(
    agreeOnInstallation(db, dataDir, 'other'),
    /belongs to installation me, but its database is of a new installation, other/,
  );
});

for (const [what, damage] of [
  ['no database', async (file: string) => await writeFile(file, 'something else '.repeat(1_000))],
  ['damaged pages', async (file: string) => await damagePages(file)],
] as const)
  test(`a file that has ${what} is named, with what to do`, async () => {
    await (await openStore(place()))[Symbol.asyncDispose]();
    const file = join(dataDir, 'berth.db');
    await damage(file);
    const words = new RegExp(`The database ${file} is damaged \\([^]*berth admin restore[^]*sqlite3 ${file} .recover`);
    await assert.rejects(openStore(place()), { message: words });
  });

/** Writes over all pages but the first, which says that it is a database. */
async function damagePages(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096);
}
