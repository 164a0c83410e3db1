/** `berth admin rotate-key`. */
import { actorOf } from '../../admin/actor.ts';
import { keyFileOf, type RotationStep, rotateKey } from '../../admin/rotate-key.ts';
import { type Command, done, refused } from './admin-command.ts';

const bySetting = `The key is in BERTH_SECRET_KEY, which cannot change while the service runs. Start the service once with the new key there
and the previous one in BERTH_OLD_SECRET_KEY: it encrypts all secrets again before it serves.`;

const leftInSqlite = 'Data sealed with the previous key stays in berth.db-wal until the service restarts.';
const leftInPostgres =
  "Data sealed with the previous key may stay in PostgreSQL's files, log and backups until they are overwritten.";

const more = `berth admin rotate-key makes a new key and encrypts all configurations and generated values with it, while the service runs
or is stopped. After an interruption, no data is lost: run the command again, or start the service, to continue. Generated
passwords, session tokens and API keys do not change. Users who are signed in to the dashboard must sign in again. Back up
the key file together with the database afterwards: an older backup of the database requires the older key.
`;

export const rotateKeyCommand: Command = {
  words: [],
  help: 'makes a new key and encrypts the stored secrets again, while the service runs',
  more,
  async run(db, _given, { dataDir, databaseUrl, secretKey }, note) {
    if (secretKey !== undefined) return refused(bySetting);
    const file = keyFileOf(dataDir);
    const requested = { file, actor: actorOf(process.env), now: Date.now(), report: stepReporter(file, note) };
    const rotation = await rotateKey(db, requested).catch((error: Error) => error);
    if (rotation instanceof Error)
      return refused(`The key was not changed, or not yet to the end: ${rotation.message}`);
    if (rotation.kind === 'no-file') return refused(`The key file does not exist: ${file}. ${bySetting}`);
    const { keyId, rows, unreadable, isContinued, hasOldPages } = rotation;
    const lines = [
      ...(isContinued ? ['A change of the key that was interrupted has been finished.'] : []),
      `Sealed with the key ${keyId} now: ${rows} rows. The key before has left ${file}: back that up with the database.`,
      ...(unreadable > 0 ? [`Left as they were, because no key in the file opens them: ${unreadable} rows.`] : []),
      ...(hasOldPages ? [databaseUrl ? leftInPostgres : leftInSqlite] : []),
    ];
    return done(`${lines.join('\n')}\n`, rotation);
  },
};

/** A line for each step, but of many steps of the same kind only for each thousand rows. */
function stepReporter(file: string, note: (line: string) => void): (step: RotationStep) => void {
  let next = 1000;
  return (step) => {
    if (step.kind === 'key-added')
      note(`The key ${step.keyId} is in ${file}, next to the previous key until no data needs that key.`);
    if (step.kind !== 'resealed' || step.rows < next) return;
    note(`encrypted again: ${step.rows} rows`);
    next = step.rows + 1000;
  };
}
