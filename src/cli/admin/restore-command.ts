/** `berth admin restore`. */
import { actorOf } from '../../admin/actor.ts';
import { elsewhereOf } from '../../admin/backup/open-elsewhere.ts';
import { type Restored, type RestoreStep, restoreInstallation } from '../../admin/backup/restore-installation.ts';
import { placeOf } from '../../admin/store-places.ts';
import { openRepository } from '../../backup/restic.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Command, done, refused } from './admin-command.ts';
import { passphraseOption, passphraseWords, readPlaceOptions } from './backup-place-options.ts';
import { moveRefusalWords } from './migrate-store-command.ts';

const more = `berth admin restore brings an installation back from what berth admin backup has kept, into BERTH_DATA_DIR, which must have
none; with BERTH_DATABASE_URL the database goes there, which must be new. --from FOLDER, or --from
s3:https://host/bucket/path; --backup ID takes another one than the newest. Volumes come back on
a machine where the service runs as root, and on the cluster; --without-volumes leaves them out, and they begin empty. Interrupted at any instant, start it again. The
settings of before are put beside, in restored-settings.env: look at them, and set what is still right.

${passphraseWords}
Then start the service: it makes every deployment that has not ended, at its address. Never start it while the installation
of before still serves elsewhere.
`;

export const restoreCommand: Command = {
  words: [],
  options: { from: 'PLACE' },
  further: { ...passphraseOption, backup: 'ID', 'without-volumes': '' },
  help: 'brings an installation back from a backup, where there is none',
  more,
  async runWithoutStore(settings, note, options, streams) {
    const asked = await readPlaceOptions('from', options, streams);
    if (asked instanceof Error) return refused(asked.message);
    const order = {
      repository: openRepository(asked.place, asked.passphrase, streams.env),
      id: typeof options.backup === 'string' ? options.backup : undefined,
      isWithoutVolumes: options['without-volumes'] === true,
      store: settings,
      secretKey: settings.secretKey,
      copiesElsewhere: elsewhereOf(settings, false),
      actor: actorOf(process.env),
      now: Date.now,
      told: teller(note),
    };
    const result = await restoreInstallation(order).catch((error: Error) => error);
    if (result instanceof Error) return refused(`Nothing was restored: ${result.message}`);
    if (result.kind === 'refused') return refused(wordsOf(result, settings));
    const { id, at, settingsFile, volumes } = result;
    const left = volumes.left.length;
    const text = [
      `Restored from ${id.slice(0, 8)}, as it was at ${new Date(at).toISOString()}.`,
      `${volumes.brought.length} volumes have their data again.`,
      ...(left > 0 ? [`The volumes of ${left} deployments were here, and were left as they are.`] : []),
      `What the service was set up with is in ${settingsFile}. Start the service: it makes what was running then.`,
    ];
    return done(`${text.join('\n')}\n`, result);
  },
};

function teller(note: (line: string) => void): (step: RestoreStep) => void {
  return ({ kind }) => {
    if (kind === 'checked') note('The database is here and was read back; the data of volumes follow.');
  };
}

function wordsOf(refusal: Extract<Restored, { kind: 'refused' }>, settings: Settings): string {
  const { dataDir } = settings;
  switch (refusal.because) {
    case 'installation-here':
      return `${dataDir} has an installation: it is never written over. Set BERTH_DATA_DIR to a new one, or move that away.`;
    case 'under-way':
      return `Another backup or restore of ${dataDir} is under way.`;
    case 'unfinished':
      return `A restore of ${refusal.id.slice(0, 8)} was begun here: finish it first, with --backup ${refusal.id.slice(0, 8)}.`;
    case 'no-backup':
      return 'There is no such backup at this place.';
    case 'other-key-here':
      return 'BERTH_SECRET_KEY, or the key file of the data directory, is not the key of this backup: unset it, or move it away.';
    case 'other-volumes':
      return 'The volumes in this backup are of another kind of engine than BERTH_ENGINE says; --without-volumes brings back all but them.';
    case 'server':
      return moveRefusalWords(refusal.refusal, placeOf(settings));
  }
}
