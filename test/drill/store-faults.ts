/** Faults of the database and the key: a file is old, missing or damaged. The operator puts the right one back. */
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFile } from '../../src/store/open.ts';
import { readSweepState } from '../../src/store/quarantine.ts';
import { type Berth, type Started, until } from '../scenarios/berth.ts';
import { damage, refusalOf, removeLog } from '../scenarios/database-file.ts';
import type { Fault } from './fault.ts';
import { keeperYaml, numbersOf } from './keeper.ts';

export const storeFaults: Fault[] = [
  olderDatabase(),
  missing('database-missing', ({ settings }) => databaseFile(settings)),
  missing('key-missing', ({ settings }) => join(settings.dataDir, 'secret.key')),
  corruptDatabase(),
];

function missing(name: string, fileOf: (berth: Berth) => string): Fault {
  return {
    name,
    async strike({ berth }, repaired) {
      await berth.end('SIGTERM');
      const file = fileOf(berth);
      await rename(file, `${file}.aside`);
      const said = await refusalOf(berth);
      await rename(`${file}.aside`, file);
      repaired();
      await berth.serve();
      return said;
    },
  };
}

function corruptDatabase(): Fault {
  return {
    name: 'database-corrupt',
    async strike({ berth }, repaired) {
      await berth.end('SIGTERM');
      const file = databaseFile(berth.settings);
      await copyFile(file, `${file}.aside`);
      await damage(file);
      const said = await refusalOf(berth);
      await removeLog(file);
      await rename(`${file}.aside`, file);
      repaired();
      await berth.serve();
      return said;
    },
  };
}

/** Starts an application after the copy. It is missing from the older database, and its data must survive. */
function olderDatabase(): Fault {
  let later: Started;
  return {
    name: 'database-older',
    async strike({ berth }, repaired) {
      const file = databaseFile(berth.settings);
      await berth.end('SIGTERM');
      await copyFile(file, `${file}.older`);
      await berth.serve();
      await until('the epoch has grown', async () => (await berth.query(readSweepState)).epoch > 1);
      later = await berth.start(keeperYaml('later'));
      await berth.reach(later, 'running');
      await berth.visit(`${later.url}/?1`, { method: 'POST', headers: { 'content-length': 0 } });
      await berth.end('SIGTERM');
      await rename(file, `${file}.newest`);
      await removeLog(file);
      await rename(`${file}.older`, file);
      await berth.serve();
      const hold = await until(
        'the sweep is on hold',
        async () => (await berth.query(readSweepState)).hold ?? undefined,
      );
      const said = /"msg":"(The sweep is on hold[^"]*)"/.exec(berth.log())?.[1] ?? JSON.stringify(hold);
      await berth.end('SIGTERM');
      await removeLog(file);
      await rename(`${file}.newest`, file);
      repaired();
      await berth.serve();
      return said;
    },
    isMended: async ({ berth }) => (await numbersOf(berth, later))?.has(1) === true,
  };
}
