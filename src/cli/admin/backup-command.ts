/** `berth admin backup`. */
import { actorOf } from '../../admin/actor.ts';
import { type BackedUp, type BackupStep, backUpInstallation } from '../../admin/backup/backup-installation.ts';
import type { SkippedVolumes } from '../../admin/backup/backup-volumes.ts';
import { elsewhereOf } from '../../admin/backup/open-elsewhere.ts';
import { openRepository } from '../../backup/restic.ts';
import { type Command, refused, statuses } from './admin-command.ts';
import { missingPassphrase, passphraseOption, readPlaceOptions } from './backup-place-options.ts';

const more = `berth admin backup writes an encrypted copy of the installation while the service and the applications run: the database,
the keys, the settings of this environment, all pushed images, and the data of all deployments that do not expire.
--to is a FOLDER or s3:https://host/bucket/path. The first backup creates the location; later backups transfer only changes.
Each backup is read back before it counts. --keep N removes all but the newest N backups; --read-all reads every byte
of the location.

${missingPassphrase}
Run it daily, with the variables of the service set, as its user.
`;

export const backupCommand: Command = {
  words: [],
  options: { to: 'PLACE' },
  further: { ...passphraseOption, keep: 'N', 'read-all': '' },
  help: 'writes an encrypted backup of the installation while the service runs',
  more,
  async run(db, _given, settings, note, options, streams) {
    const { dataDir, secretKey, diskFreeBytes } = settings;
    const keep = options.keep === undefined ? undefined : Number(options.keep);
    if (keep !== undefined && !(Number.isInteger(keep) && keep > 0)) return refused('--keep must be a number from 1.');
    const requested = await readPlaceOptions('to', options, streams);
    if (requested instanceof Error) return refused(requested.message);
    const order = {
      repository: openRepository(requested.place, requested.passphrase, streams.env),
      dataDir,
      secretKey,
      diskFreeBytes,
      keep,
      env: streams.env,
      isWholeRead: options['read-all'] === true,
      copiesElsewhere: elsewhereOf(settings, true),
      actor: actorOf(process.env),
      now: Date.now,
      report: stepReporter(note),
    };
    const result = await backUpInstallation(db, order).catch((error: Error) => error);
    if (result instanceof Error) return refused(`No new backup was made: ${result.message}`);
    if (result.kind === 'refused') return refused(refusalMessage(result.because, dataDir));
    const { id, totalBytes, addedBytes, blobs, deployments, leftOut } = result;
    const images = blobs === 0 ? 'no pushed images' : `${blobs} parts of pushed images`;
    const text = [
      `Backed up as ${id}: database, keys, settings, ${images}, the volumes of ${deployments} deployments; ` +
        `${megabytes(totalBytes)}, of which ${megabytes(addedBytes)} were new.`,
      ...leftOut.map(skippedMessage),
    ];
    const isIncomplete = leftOut.some(({ because }) => because !== 'not-here');
    const status = isIncomplete ? statuses.refused : statuses.done;
    const reported = leftOut.map(({ fault: _, ...which }) => which);
    return { status, text: `${text.join('\n')}\n`, value: { ...result, leftOut: reported } };
  },
};

function skippedMessage({ deploymentId, volumes, because, fault }: SkippedVolumes): string {
  const which = `Not in it: ${volumes.join(', ')} of ${deploymentId}`;
  switch (because) {
    case 'not-here':
      return `${which}: not created yet, or not separate file systems on this machine.`;
    case 'no-room':
      return `${which}: a copy of them would leave less of the disk than BERTH_DISK_FREE.`;
    case 'failed':
      return `${which}: ${fault?.message ?? 'they could not be read'}`;
  }
}

function stepReporter(note: (line: string) => void): (step: BackupStep) => void {
  return (step) => {
    const { kind } = step;
    if (kind === 'kept-volumes')
      note(`The volumes of ${step.deploymentId} are kept; writes were paused for ${Math.ceil(step.pausedMs)} ms.`);
    if (kind === 'made-place') note('This backup location is new. Only this passphrase opens its backups.');
    if (kind === 'saved') note('All data is written and is now read back.');
  };
}

function refusalMessage(because: Extract<BackedUp, { kind: 'refused' }>['because'], dataDir: string): string {
  switch (because) {
    case 'no-installation':
      return 'Nothing to back up: no service was ever started on this database.';
    case 'under-way':
      return `Another backup or restore of ${dataDir} is under way.`;
    case 'other-key':
      return 'The key that is set here, or in the key file, is not that of the database: set the variables of the service.';
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
