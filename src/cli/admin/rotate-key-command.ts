/** `berth admin rotate-key`. */
import { actorOf } from '../../admin/actor.ts';
import { keyFileOf, type RotationStep, rotateKey } from '../../admin/rotate-key.ts';
import { type Command, done, refused } from './admin-command.ts';

const bySetting = `The key is in BERTH_SECRET_KEY, and a service cannot be told a new one while it runs. Start it once with the new key there
and the one before in BERTH_OLD_SECRET_KEY: it seals everything anew before it serves.`;

const leftInSqlite = 'What the key before had sealed is in berth.db-wal until the service has been restarted.';
const leftInPostgres =
  "What the key before had sealed may be in PostgreSQL's files, its log and backups until they are written over.";

const more = `berth admin rotate-key makes a new key and seals all configurations and generated values anew with it, while the service
works or while it is stopped. Killed at any instant it has lost nothing: start it again, and it goes on where it was; so
does the service when it starts. Generated passwords stay as they are, and so do session tokens and API keys; whoever is
signed in to the dashboard signs in again. Back up the key file together with the database afterwards: an older backup of
the database needs the older key.
`;

export const rotateKeyCommand: Command = {
  words: [],
  help: 'a new key for what is stored; everything is sealed anew with it, while the service works',
  more,
  async run(db, _given, { dataDir, databaseUrl, secretKey }, note) {
    if (secretKey !== undefined) return refused(bySetting);
    const file = keyFileOf(dataDir);
    const asked = { file, actor: actorOf(process.env), now: Date.now(), told: teller(file, note) };
    const rotation = await rotateKey(db, asked).catch((error: Error) => error);
    if (rotation instanceof Error)
      return refused(`The key was not changed, or not yet to the end: ${rotation.message}`);
    if (rotation.kind === 'no-file') return refused(`There is no key file ${file}. ${bySetting}`);
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
function teller(file: string, note: (line: string) => void): (step: RotationStep) => void {
  let next = 1000;
  return (step) => {
    if (step.kind === 'key-added')
      note(`The key ${step.keyId} is in ${file}, beside the one before until nothing needs that.`);
    if (step.kind !== 'resealed' || step.rows < next) return;
    note(`sealed anew: ${step.rows} rows`);
    next = step.rows + 1000;
  };
}
