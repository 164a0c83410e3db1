/** `berth admin restore`. */
import { actorOf } from '../../admin/actor.ts';
import { elsewhereOf } from '../../admin/backup/open-elsewhere.ts';
import { type Restored, type RestoreStep, restoreInstallation } from '../../admin/backup/restore-installation.ts';
import { placeOf } from '../../admin/store-places.ts';
import { openRepository } from '../../backup/restic.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Command, done, refused } from './admin-command.ts';
import { missingPassphrase, passphraseOption, readPlaceOptions } from './backup-place-options.ts';
import { moveRefusalMessage } from './migrate-store-command.ts';

const more = `berth admin restore restores an installation from a backup of berth admin backup to BERTH_DATA_DIR, which must not contain an
installation. With BERTH_DATABASE_URL, the database is restored there, and must be new. --from is a FOLDER or
s3:https://host/bucket/path; --backup ID selects another backup than the newest. Volumes are restored on a machine where
the service runs as root, and on a cluster; --without-volumes skips them, so that they start empty. After an interruption,
run the command again. The previous settings are written to restored-settings.env in the data directory: check them, and
set those that still apply.

${missingPassphrase}
Then start the service: it starts every deployment that has not ended, at its address. Never start it while the previous
installation still serves on another machine.
`;

export const restoreCommand: Command = {
  words: [],
  options: { from: 'PLACE' },
  further: { ...passphraseOption, backup: 'ID', 'without-volumes': '' },
  help: 'restores an installation from a backup to an empty machine',
  more,
  async runWithoutStore(settings, note, options, streams) {
    const requested = await readPlaceOptions('from', options, streams);
    if (requested instanceof Error) return refused(requested.message);
    const order = {
      repository: openRepository(requested.place, requested.passphrase, streams.env),
      id: typeof options.backup === 'string' ? options.backup : undefined,
      isWithoutVolumes: options['without-volumes'] === true,
      store: settings,
      secretKey: settings.secretKey,
      copiesElsewhere: elsewhereOf(settings, false),
      actor: actorOf(process.env),
      now: Date.now,
      report: stepReporter(note),
    };
    const result = await restoreInstallation(order).catch((error: Error) => error);
    if (result instanceof Error) return refused(`Nothing was restored: ${result.message}`);
    if (result.kind === 'refused') return refused(refusalMessage(result, settings));
    const { id, at, settingsFile, volumes } = result;
    const left = volumes.left.length;
    const text = [
      `Restored from ${id.slice(0, 8)}, as it was at ${new Date(at).toISOString()}.`,
      `${volumes.brought.length} volumes have their data again.`,
      ...(left > 0 ? [`The volumes of ${left} deployments were here, and were left as they are.`] : []),
      `The settings of the service are in ${settingsFile}. Start the service: it starts the deployments of that time.`,
    ];
    return done(`${text.join('\n')}\n`, result);
  },
};

function stepReporter(note: (line: string) => void): (step: RestoreStep) => void {
  return ({ kind }) => {
    if (kind === 'checked') note('The database is here and was read back; the data of volumes follow.');
  };
}

function refusalMessage(refusal: Extract<Restored, { kind: 'refused' }>, settings: Settings): string {
  const { dataDir } = settings;
  switch (refusal.because) {
    case 'installation-here':
      return `${dataDir} has an installation: it is never written over. Set BERTH_DATA_DIR to a new one, or move that away.`;
    case 'under-way':
      return `Another backup or restore of ${dataDir} is under way.`;
    case 'unfinished':
      return `A restore of ${refusal.id.slice(0, 8)} was begun here: finish it first, with --backup ${refusal.id.slice(0, 8)}.`;
    case 'no-backup':
      return 'This location does not contain that backup.';
    case 'other-key-here':
      return 'BERTH_SECRET_KEY, or the key file of the data directory, is not the key of this backup: unset it, or move it away.';
    case 'other-volumes':
      return 'The volumes in this backup are of another kind of engine than BERTH_ENGINE says; --without-volumes brings back all but them.';
    case 'server':
      return moveRefusalMessage(refusal.refusal, placeOf(settings));
  }
}
