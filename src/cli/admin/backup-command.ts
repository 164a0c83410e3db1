/** `berth admin backup`. */
import { actorOf } from '../../admin/actor.ts';
import { type BackedUp, type BackupStep, backUpInstallation } from '../../admin/backup/backup-installation.ts';
import { openRepository } from '../../backup/restic.ts';
import { type Command, done, refused } from './admin-command.ts';
import { passphraseOption, passphraseWords, readPlaceOptions } from './backup-place-options.ts';

const more = `berth admin backup keeps the database, the keys, the settings of this environment and all pushed images, while the service
works: --to FOLDER, or --to s3:https://host/bucket/path. A place is made at the first time; after that only what has changed
is moved. What was written is read back before it counts. --keep N removes all but the newest N backups; --read-all
reads every byte at the place.

${passphraseWords}
Run it daily, with the variables of the service set, as its user. The data in volumes are not in it.
`;

export const backupCommand: Command = {
  words: [],
  options: { to: 'PLACE' },
  further: { ...passphraseOption, keep: 'N', 'read-all': '' },
  help: 'a copy of the installation elsewhere, encrypted, while the service works',
  more,
  async run(db, _given, { dataDir, secretKey }, note, options, streams) {
    const keep = options.keep === undefined ? undefined : Number(options.keep);
    if (keep !== undefined && !(Number.isInteger(keep) && keep > 0)) return refused('--keep must be a number from 1.');
    const asked = await readPlaceOptions('to', options, streams);
    if (asked instanceof Error) return refused(asked.message);
    const order = {
      repository: openRepository(asked.place, asked.passphrase, streams.env),
      ...{ dataDir, secretKey, keep, env: streams.env, isWholeRead: options['read-all'] === true },
      ...{ actor: actorOf(process.env), now: Date.now, told: teller(note) },
    };
    const result = await backUpInstallation(db, order).catch((error: Error) => error);
    if (result instanceof Error) return refused(`There is no new backup: ${result.message}`);
    if (result.kind === 'refused') return refused(wordsOf(result.because, dataDir));
    const { id, totalBytes, addedBytes, blobs } = result;
    const images = blobs === 0 ? 'no pushed images' : `${blobs} parts of pushed images`;
    return done(
      `Backed up as ${id}: database, keys, settings, ${images}; ${megabytes(totalBytes)}, of which ${megabytes(addedBytes)} were new.\n`,
      result,
    );
  },
};

function teller(note: (line: string) => void): (step: BackupStep) => void {
  return ({ kind }) => {
    if (kind === 'made-place') note('This place is new: what is kept there opens with this passphrase alone.');
    if (kind === 'saved') note('All is written; it is being read back.');
  };
}

function wordsOf(because: Extract<BackedUp, { kind: 'refused' }>['because'], dataDir: string): string {
  switch (because) {
    case 'no-installation':
      return 'Nothing is here to be backed up: no service was ever started on this database.';
    case 'under-way':
      return `Another backup or restore of ${dataDir} is under way.`;
    case 'other-key':
      return 'The key that is set here, or in the key file, is not that of the database: set the variables of the service.';
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
