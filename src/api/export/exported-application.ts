/** The contents of a deployment's export: its texts, the archives of its volumes, its pushed images. */

import { PassThrough, type Readable } from 'node:stream';
import { volumeName } from '../../config/export/compose-file.ts';
import {
  type ExportedArchive,
  type ExportedText,
  exportTexts,
  volumesFolder,
} from '../../config/export/export-folder.ts';
import { withGeneratedValues } from '../../config/export/generated-values.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { isPinned, splitImage } from '../../config/values/image-names.ts';
import { readPushedReference } from '../../config/values/pushed-image.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { type DesiredVolume, volumesOf } from '../../deployment/desired-volumes.ts';
import type { Restore } from '../../deployment/snapshot/snapshot.ts';
import { generatedValue } from '../../deployment/workload/derived-secrets.ts';
import { EngineFault } from '../../engine/engine.ts';
import {
  type ArchivedVolumes,
  type ReadableTars,
  takeCopy,
  type VolumeArchive,
  type VolumeCopies,
} from '../../engine/volume-facets.ts';
import type { BlobFolder } from '../../images/blobs/blob-folder.ts';
import { describeLayout, type OciLayout, type WantedImage } from '../../images/pushed/oci-layout.ts';
import type { Digest } from '../../lib/digest.ts';
import { newId } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { holdCopy } from '../../store/copy-holds.ts';
import { restoresOf } from '../../store/restores.ts';
import { documentOf, revisionOf } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Service } from '../api-service.ts';

export type ExportWanted = { withSecrets: boolean; withVolumes: boolean };

export type ExportedApplication = {
  [Symbol.asyncDispose](): Promise<void>;
  name: string;
  texts: ExportedText[];
  archives: { file: string; archive: VolumeArchive }[];
  layout: OciLayout;
  /** The approximate size of all files together. */
  sizeBytes: number;
};

export type Exporting = {
  signal: AbortSignal;
  /** Called with the reason if the volumes cannot be copied. */
  onFault: (fault: EngineFault) => void;
};

/**
 * Refuses if the server lacks space for a copy of the volumes, or if a restore in progress could mix their data. Throws
 * at the abort.
 */
export async function openExport(
  { db, seal, engine, pushedBlobs, urlOf, now }: Service,
  deployment: Deployment,
  { withSecrets, withVolumes }: ExportWanted,
  exporting: Exporting,
): Promise<Result<ExportedApplication>> {
  // The serving revision has written the data.
  const number = deployment.servingRevision ?? deployment.revision;
  const revision = await revisionOf(db, seal, deployment.id, number);
  const document = await documentOf(db, seal, deployment.id, number);
  const { spec, wanted } = withSettledImages(revision.spec, revision.images ?? {});
  const layout = await layoutOf(pushedBlobs, wanted);
  const volumes = volumesOf(spec);
  const before = await finishedRestores(db, deployment.id);
  if (withVolumes && before === undefined) return restoreUnderWay;
  const taken = await takeVolumes({ db, engine, now }, deployment, withVolumes ? volumes : [], exporting);
  if (!taken.ok) return taken;
  await using opening = new AsyncDisposableStack();
  opening.use(taken.value);
  if (withVolumes && (await finishedRestores(db, deployment.id)) !== before) return restoreUnderWay;
  const derive = await derivationOf(db, seal, deployment.id);
  const written = withSecrets ? withGeneratedValues(spec, (name) => generatedValue(name, derive)) : spec;
  const archives = withFiles(taken.value.archives);
  const texts = exportTexts({
    spec: written,
    document,
    revision: number,
    at: new Date(now()).toISOString(),
    withSecrets,
    host: urlOf(deployment.label).hostname,
    archives: archives.map((one) => describe(one, spec)),
    areApart: taken.value.areApart === true,
    missing: missingOf(volumes, taken.value.archives, withVolumes),
    inLayout: new Set([...wanted].flatMap(([pod, { digest }]) => (isIn(layout, digest) ? [pod] : []))),
    lostImages: layout.missing.map(({ name }) => name),
  });
  const sizeBytes =
    archives.reduce((sum, { archive }) => sum + archive.sizeBytes, 0) +
    layout.blobs.reduce((sum, blob) => sum + blob.sizeBytes, 0);
  const open = opening.move();
  return succeed({
    name: spec.name,
    texts,
    archives,
    layout,
    sizeBytes,
    [Symbol.asyncDispose]: async () => await open.disposeAsync(),
  });
}

/** Returns how many restores have swapped volumes. Undefined while a restore may be doing so. */
async function finishedRestores(db: Service['db'], deploymentId: string): Promise<number | undefined> {
  const restores = await restoresOf(db, deploymentId);
  // A deployment that was started from a snapshot has no earlier data.
  const isComing = ({ state, fromDeploymentId }: Restore) => state === 'asked' && fromDeploymentId !== null;
  if (restores.some((restore) => restore.state === 'filled' || isComing(restore))) return undefined;
  return restores.filter(({ state }) => state === 'done').length;
}

const restoreUnderWay = refuse(
  'snapshot_under_way',
  'Volumes of the deployment are being restored. An export could mix data from before and after the restore.',
  'Try again after the restore, which requires a running deployment, or export the deployment without its volumes: volumes=false',
);

/** Pins images to their known digests. `wanted`: pushed images under the names that they get in the export, by pod. */
function withSettledImages(
  spec: AppSpec,
  images: Readonly<Record<string, string>>,
): { spec: AppSpec; wanted: Map<string, WantedImage> } {
  const wanted = new Map<string, WantedImage>();
  const pods = spec.pods.map((pod) => {
    const settled = Object.hasOwn(images, pod.image) ? images[pod.image]! : pod.image;
    const pushed = readPushedReference(settled);
    // The tag stays, because it shows users and tools the version.
    if (!pushed) return { ...pod, image: pinned(pod.image, splitImage(settled).digest) };
    const [, ...name] = pushed.repository.split('/');
    const image = `${spec.name}-${name.join('-')}:${splitImage(settled).tag ?? 'exported'}`;
    wanted.set(pod.name, { name: image, digest: pushed.digest as Digest });
    return { ...pod, image };
  });
  return { spec: { ...spec, pods }, wanted };
}

function pinned(image: string, digest: string | undefined): string {
  return digest === undefined || isPinned(image) ? image : `${image}@${digest}`;
}

async function layoutOf(blobs: BlobFolder | undefined, wanted: ReadonlyMap<string, WantedImage>): Promise<OciLayout> {
  const images = [...new Map([...wanted.values()].map((image) => [image.name, image])).values()];
  return blobs ? await describeLayout(blobs, images) : { documents: [], blobs: [], missing: images };
}

function isIn({ missing }: OciLayout, digest: Digest): boolean {
  return missing.every((image) => image.digest !== digest);
}

async function takeVolumes(
  { db, engine, now }: Pick<Service, 'db' | 'engine' | 'now'>,
  { id }: Deployment,
  volumes: readonly DesiredVolume[],
  { signal, onFault }: Exporting,
): Promise<Result<ArchivedVolumes>> {
  const { archives, copies } = engine;
  const names = volumes.map(({ volume }) => volume);
  const none = { pausedMs: 0, archives: [], [Symbol.asyncDispose]: async () => {} };
  if (volumes.length === 0) return succeed(none);
  try {
    if (archives) return succeed(await archives.take(id, names, signal));
    return succeed(copies ? await takeTars(copies, { db, now }, { deploymentId: id, volumes: names, signal }) : none);
  } catch (error) {
    if (!(error instanceof EngineFault) || signal.aborted || (archives && error.hint === undefined)) throw error;
    onFault(error);
    const { message, hint = 'Try again later' } = error;
    return refuse('capacity_exhausted', message, `${hint}; or export it without its volumes: volumes=false`);
  }
}

/** Gives each archive a unique name, also on case-insensitive file systems. */
function withFiles(archives: readonly VolumeArchive[]): ExportedApplication['archives'] {
  const taken = new Set<string>();
  return archives.map((archive) => {
    const name = nameOf(archive);
    let file = `${name}.tar`;
    for (let number = 2; taken.has(file.toLowerCase()); number++) file = `${name}-${number}.tar`;
    taken.add(file.toLowerCase());
    return { file: `${volumesFolder}/${file}`, archive };
  });
}

/** Returns one path segment for any directory names of an image. */
function nameOf({ volume, below, isUnplaced }: VolumeArchive): string {
  const slug = below.replaceAll(/[^A-Za-z0-9_-]+/g, '.').slice(0, 100);
  return `${volume}${below === '' ? '' : `.${slug}`}${isUnplaced ? '.unplaced' : ''}`;
}

function describe({ file, archive }: { file: string; archive: VolumeArchive }, { pods }: AppSpec): ExportedArchive {
  const { below, isUnplaced, sizeBytes } = archive;
  const named = pods.flatMap((pod) => pod.volumes.map((volume) => volumeName(pod, volume)));
  const volume = archive.volume.replace(/^shared\./, '');
  if (isUnplaced) return { file, below, sizeBytes, volume: undefined, unplacedIn: volume };
  return { file, below, sizeBytes, volume: named.includes(volume) ? volume : undefined };
}

function missingOf(volumes: readonly DesiredVolume[], archives: readonly VolumeArchive[], isWanted: boolean) {
  const because = isWanted
    ? 'on this server, the volume is not a separate file system that can be copied'
    : 'the export was requested without it';
  return volumes
    .filter(({ volume }) => !archives.some((archive) => archive.volume === volume))
    .map(({ title }) => ({ title, because }));
}

/**
 * The data of volumes on other machines: reads a copy of them as tars until it is disposed. A hold in the store
 * protects the copy from being cleaned up.
 */

type Wanted = { deploymentId: string; volumes: readonly string[]; signal: AbortSignal };

/** Omits volumes that do not exist. Throws EngineFault, and when aborted. */
async function takeTars(
  copies: VolumeCopies,
  { db, now }: Pick<Service, 'db' | 'now'>,
  { deploymentId, volumes, signal }: Wanted,
): Promise<ArchivedVolumes> {
  const present = await copies.sizes(deploymentId);
  const here = volumes.filter((volume) => present.has(volume));
  await using opening = new AsyncDisposableStack();
  const archives: VolumeArchive[] = [];
  let [pausedMs, areApart] = [0, false];
  if (here.length > 0) {
    const key = `export-${newId()}`;
    opening.use(await holdCopy(db, key, now));
    const copy = await takeCopy(copies, deploymentId, here, key, signal);
    opening.defer(() => copies.clear(key));
    if (copy.kind !== 'tars') throw new Error('An engine that copies into a folder has archives of its own.');
    ({ pausedMs, areApart = false } = copy);
    for (const volume of here)
      archives.push({
        volume,
        below: '',
        sizeBytes: copy.sizes.get(volume)!,
        read: (signal) => readableOf(copy, volume, signal),
      });
  }
  const open = opening.move();
  return { pausedMs, areApart, archives, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Returns the archive of a volume as a stream. An error of the copy destroys the stream. */
function readableOf(copy: ReadableTars, volume: string, signal: AbortSignal): Readable {
  const passed = new PassThrough();
  const left = new AbortController();
  passed.once('close', () => left.abort());
  copy.read(volume, passed, AbortSignal.any([signal, left.signal])).then(
    () => passed.end(),
    (error: Error) => passed.destroy(error),
  );
  return passed;
}
