/** `berth admin migrate-store`. */
import { actorOf } from '../../admin/actor.ts';
import { cancelMove, type MoveRefusal, type MoveStep, migrateStore } from '../../admin/migrate-store.ts';
import { openPlace, placeName, placeOf, readPlace, type StorePlace } from '../../admin/store-places.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Command, done, refused } from './admin-command.ts';

const more = `berth admin migrate-store moves an installation to another database: --to postgresql://user@host/database, or --to FILE for
SQLite. The source is the database of the settings (BERTH_DATABASE_URL, else BERTH_DATA_DIR). Stop the service first;
applications and their sites keep running. No service starts on either database until the copy is complete and both sides
have been compared. After an interruption, run the command again: it continues. Encrypted values keep their key: the key
file and the rest of the data directory stay in place.

The password of the server is read from PGPASSWORD or ~/.pgpass. It must not be in --to, because all users of a machine
can see the arguments of a command. BERTH_DATABASE_URL may contain the password of the source database.

The target database must be new: an existing installation is never overwritten. The source database is not changed, and no
service starts on it; --cancel reverts that. After --cancel, do not use the copy or data that was written to it.
`;

export const migrateStoreCommand: Command = {
  words: [],
  options: { to: 'PLACE', cancel: '' },
  help: 'moves the installation to another database, while the service is stopped',
  more,
  takesMovedStore: true,
  async run(db, _given, settings, note, options) {
    const actor = actorOf(process.env);
    const now = Date.now();
    if (options.cancel === true) {
      const mark = options.to === undefined ? await cancelMove(db, { actor, now }) : undefined;
      if (!mark) return refused('There is nothing to cancel: this installation has not been moved from here.');
      return done(`The installation stays here. The copy in ${mark.place} must not be used.\n`, mark);
    }
    if (typeof options.to !== 'string')
      return refused('Name the new store: --to postgresql://user@host/database, or --to FILE');
    const place = placeFrom(options.to);
    if (place instanceof Error) return refused(`--to ${place.message}`);
    const to = await openPlace(place).catch((error: Error) => error);
    if (to instanceof Error) return refused(`${placeName(place)} cannot be used: ${to.message}`);
    try {
      const places = { from: placeOf(settings), to: placeName(place) };
      const result = await migrateStore({ from: db, to, places, actor, now, report: stepReporter(note) });
      if (result.kind === 'refused') return refused(moveRefusalMessage(result, places.to));
      const text =
        result.kind === 'moved-before'
          ? `It was moved at ${new Date(result.at).toISOString()}; nothing was done.`
          : `Moved: ${result.rows} rows of ${result.tables.length} tables, and both sides are the same.`;
      return done(`${text}\n${whatNow(place, settings)}\n`, result);
    } finally {
      await to.destroy();
    }
  },
};

function placeFrom(text: string): StorePlace | Error {
  try {
    return readPlace(text);
  } catch (error) {
    return error as Error;
  }
}

function whatNow(place: StorePlace, { dataDir, databaseUrl }: Settings): string {
  const keys = 'Everything else in the data directory stays in use: the key, pushed images, volumes.';
  if (place.kind === 'postgres')
    return `Start the service with BERTH_DATABASE_URL='${place.url}' (and PGPASSWORD), and BERTH_DATA_DIR as before.\n${keys}`;
  const usual = placeOf({ dataDir, databaseUrl: undefined, databaseConnections: 0 });
  const file = place.file === usual ? '' : ` after mv '${place.file}' '${usual}'`;
  return `Start the service without ${databaseUrl ? 'BERTH_DATABASE_URL' : 'any change of its settings'}${file}.\n${keys}`;
}

/** A line for each table, and for each 10,000 rows of one. */
function stepReporter(note: (line: string) => void): (step: MoveStep) => void {
  let table: string | undefined;
  let rows = 0;
  const tell = () => table !== undefined && note(`${table}: ${rows} rows copied`);
  return (step) => {
    if (step.kind !== 'copied') {
      if (step.kind === 'filled') {
        tell();
        note('All is copied; both sides are being compared.');
      }
      return;
    }
    const next = step.table === table ? rows + step.rows : step.rows;
    const isRound = Math.floor(next / 10_000) > Math.floor(rows / 10_000);
    if (step.table !== table) tell();
    table = step.table;
    rows = next;
    if (isRound) tell();
  };
}

export function moveRefusalMessage(refusal: MoveRefusal, to: string): string {
  switch (refusal.because) {
    case 'no-installation':
      return 'Nothing to move: no service was ever started on this database.';
    case 'in-use':
      return 'A service, or another program, works on this database: stop it, and start this command again.';
    case 'target-in-use':
      return `A service, or another program, works on ${to}: stop it, and start this command again.`;
    case 'target-holds-rows':
      return `${to} is in use for something: give a new one.`;
    case 'target-holds-this':
      return `${to} has a state of this installation already: give a new one, or move that file away.`;
    case 'target-holds-another':
      return `${to} has another installation: give a new one.`;
    case 'overtaken':
      return 'Another run of this command has started and continues.';
    case 'moved-elsewhere':
      return `This installation was moved to ${refusal.place} before. To move it from here again: --cancel first.`;
    case 'differs':
      return `During the copy, another program has written to ${refusal.tables.join(', ')}: the two sides differ. Run this command again; it starts from the beginning.`;
  }
}
