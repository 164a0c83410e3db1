import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { execHere } from '../../../test/support/exec-here.ts';
import { BackupFault } from '../../backup/backup-fault.ts';
import type { WriteTo } from '../../backup/run-restic.ts';
import type { LoadedDump } from '../../deployment/snapshot/dump.ts';
import { loadDump, readThrough, writeDump } from './dump-files.ts';
import { readersFrom, writerInto, writerTo } from './dump-place.ts';

test('a name whose letters come in two pieces is the same name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-dump-files-'));
  try {
    const programs = join(folder, 'bin');
    await mkdir(programs);
    const program = (name: string, script: string) =>
      writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    // The two bytes of an "ö", with a pause so that they are read separately.
    await program('psql', `printf '{"name":"b\\303'; sleep 0.3; printf '\\266cher"}\\n'`);
    await program('pg_dump', `echo "-- of $PGDATABASE"; echo '-- PostgreSQL database dump complete'`);
    const dump: LoadedDump = { pod: 'db', kind: 'postgres', volumes: ['db-data'] };
    const { signal: stop } = new AbortController();
    const dumping = { exec: execHere(programs), workload: 'db', withinMs: 600_000, stop, maxBytes: 10_000 };
    await writeDump(dump, writerTo(folder, dump), dumping);
    assert.equal(await readFile(join(folder, 'dumps/db/databases.json'), 'utf8'), '{"name":"böcher"}\n');
    assert.match(await readFile(join(folder, 'dumps/db/0.sql'), 'utf8'), /^-- of böcher\n/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Stores streams, one of which can be lost. */
function memoryStreams() {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    async saveStream(name: string, write: WriteTo) {
      const pieces: Uint8Array[] = [];
      const to = new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) });
      await write(to, new AbortController().signal);
      const id = `${name}-${kept.size}`;
      kept.set(id, Buffer.concat(pieces));
      return { id, totalBytes: 1, addedBytes: 1 };
    },
    async readInto(id: string, _path: string, to: Writable) {
      const bytes = kept.get(id);
      if (!bytes) throw new BackupFault('it is not whole');
      to.write(bytes);
    },
  };
}

test('without a folder each file of a dump is kept separately, and unreadable ones are reported before any change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-dump-streams-'));
  try {
    const program = (name: string, script: string) =>
      writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    await program(
      'psql',
      `case "$*" in *-c*) echo '{"name":"a"}'; echo '{"name":"b"}' ;; *) cat >>${folder}/loaded ;; esac`,
    );
    await program('pg_dump', `echo "-- of $PGDATABASE"; echo '-- PostgreSQL database dump complete'`);
    const dumps = ['one', 'two'].map((pod): LoadedDump => ({ pod, kind: 'postgres', volumes: [`${pod}-data`] }));
    const { signal: stop } = new AbortController();
    const dumping = { exec: execHere(folder), workload: 'db', withinMs: 600_000, stop };
    const repository = memoryStreams();
    const ids: string[] = [];
    const write = writerInto(repository, { tags: [], mayBeRenamed: false }, ({ id }) => void ids.push(id));
    for (const dump of dumps) await writeDump(dump, write, { ...dumping, maxBytes: 10_000 });
    assert.deepEqual(ids, ['databases.json-0', '0.sql-1', '1.sql-2', 'databases.json-3', '0.sql-4', '1.sql-5']);
    const reading = { repository, withinMs: 600_000 };
    const readers = await readersFrom(ids, dumps, reading);
    await readThrough(readers.get('two')!);
    await loadDump(dumps[1]!, readers.get('two')!, dumping);
    const loaded = await readFile(join(folder, 'loaded'), 'utf8');
    assert.deepEqual(loaded.match(/^-- of .*$/gm), ['-- of a', '-- of b']);
    repository.kept.delete('1.sql-5');
    await readThrough(readers.get('one')!);
    await assert.rejects(readThrough(readers.get('two')!), /it is not whole/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
