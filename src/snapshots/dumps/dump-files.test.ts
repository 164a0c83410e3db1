import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { execHere } from '../../../test/support/exec-here.ts';
import type { LoadedDump } from '../../deployment/snapshot/dump.ts';
import { writeDump } from './dump-files.ts';

test('a name whose letters come in two pieces is the same name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-dump-files-'));
  try {
    const programs = join(folder, 'bin');
    await mkdir(programs);
    const program = (name: string, script: string) =>
      writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    // The two bytes of an "ö", and time in between to be read alone.
    await program('psql', `printf '{"name":"b\\303'; sleep 0.3; printf '\\266cher"}\\n'`);
    await program('pg_dump', `echo "-- of $PGDATABASE"; echo '-- PostgreSQL database dump complete'`);
    const dump: LoadedDump = { pod: 'db', kind: 'postgres', volumes: ['db-data'] };
    const { signal: stop } = new AbortController();
    const dumping = { exec: execHere(programs), workload: 'db', withinMs: 600_000, stop, mostBytes: 10_000 };
    await writeDump(dump, folder, dumping);
    assert.equal(await readFile(join(folder, 'dumps/db/databases.json'), 'utf8'), '{"name":"böcher"}\n');
    assert.match(await readFile(join(folder, 'dumps/db/0.sql'), 'utf8'), /^-- of böcher\n/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
