/**
 * New volumes start with the content that a pushed image has at their paths, as on an engine that copies it at the
 * first start. Before the first pod, the content is put into separate claims and compared with the image. A mark on a
 * claim then makes it the volume. If the process is killed before that, the next start begins again; until then the
 * workload has no pods.
 */
import type { Writable } from 'node:stream';
import { printBytes } from '../../config/values/units.ts';
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { ImageContent } from '../../images/contents/image-contents.ts';
import { transferTimeoutMs } from '../../lib/transfer-timeout.ts';
import { EngineFault } from '../engine.ts';
import type { VolumeCopies } from '../volume-facets.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterImages } from './images.ts';
import { copyKey, deploymentOf, isUnused, ofCopy, usedMark } from './manifests/marks.ts';
import { namespaceName } from './names.ts';
import { claimsOfVolumes, type Found, type FoundClaim } from './objects.ts';
import { egressOf } from './observe.ts';
import { bytesOf } from './quantities.ts';

export type InitialContentParts = {
  cluster: Pick<Cluster, 'change'>;
  cache: Pick<Cache, 'list' | 'untilVisible'>;
  /** Absent if volumes cannot be filled. Then they start empty. */
  copies: Pick<VolumeCopies, 'make' | 'finish' | 'swap' | 'clear'> | undefined;
  contents: ClusterImages['contents'];
};

export type InitialContent = {
  /** Resolves when a pod may use the volumes of the workload. Throws EngineFault. */
  fill(deploymentId: string, workload: Workload, limits?: OwnImageLimits): Promise<void>;
};

type New = { volume: string; mountPath: string; claim: FoundClaim };
type Filled = New & { content: ImageContent };

/** Only one visit at a time works on a deployment, so one key is enough. */
const keyOf = (deploymentId: string) => `begin-${deploymentId}`;

/**
 * Returns whether an object belongs to a start that may continue and must not be cleaned up. Without a network nothing
 * can start, so it was left by a killed process.
 */
export function isFirstFill(cache: Pick<Cache, 'find'>, found: Found): boolean {
  const deploymentId = deploymentOf(found);
  if (found.metadata.labels?.[copyKey] !== keyOf(deploymentId)) return false;
  const namespace = cache.find('Namespace', namespaceName(deploymentId));
  return namespace !== undefined && egressOf(namespace) !== undefined;
}

export function createInitialContent({ cluster, cache, copies, contents }: InitialContentParts): InitialContent {
  const claimsIn = (deploymentId: string) => cache.list('PersistentVolumeClaim', deploymentId);

  async function fill(deploymentId: string, filled: readonly Filled[]): Promise<void> {
    const key = keyOf(deploymentId);
    const volumes = filled.map(({ volume }) => volume);
    const sized = filled.map(({ volume, claim }) => ({ volume, sizeBytes: sizeOf(claim) }));
    const made = await copies!.make(deploymentId, sized, key);
    if (made.kind !== 'tars') throw new Error('No folder of this machine is a volume of a cluster.');
    for (const { volume, content } of filled) {
      const signal = AbortSignal.timeout(transferTimeoutMs(content.sizeBytes));
      const tar = { sizeBytes: content.sizeBytes, read: (to: Writable) => content.read(to, signal) };
      await made.fill(volume, tar, signal);
    }
    await copies!.finish(deploymentId, volumes, key);
    if (!(await copies!.swap(deploymentId, volumes, { key, madeFor: deploymentId })))
      throw new EngineFault('unavailable', 'The data that was put into the volumes has disappeared.');
  }

  /** Marks that the volume has been used, so that its content stays. */
  async function use(deploymentId: string, { metadata }: FoundClaim): Promise<void> {
    const at = { name: metadata.name, namespace: namespaceName(deploymentId) };
    const changed = await cluster.change('PersistentVolumeClaim', at, { metadata: usedMark });
    await cache.untilVisible('PersistentVolumeClaim', changed);
  }

  return {
    async fill(deploymentId, workload, limits) {
      const claims = claimsOfVolumes(claimsIn(deploymentId));
      const all = workload.volumes.flatMap(({ volume, mountPath }): New[] => {
        const claim = claims.get(volume);
        return claim && isUnused(claim) ? [{ volume, mountPath, claim }] : [];
      });
      // Removes the remains of a start that was killed.
      if (ofCopy(claimsIn(deploymentId), keyOf(deploymentId)).length > 0) await copies?.clear(keyOf(deploymentId));
      if (all.length === 0) return;
      const paths = all.map(({ mountPath }) => mountPath);
      const found = copies ? await contents(paths, workload, limits) : new Map<string, ImageContent>();
      const filled = all.flatMap((one): Filled[] => {
        const content = found.get(one.mountPath);
        return content ? [{ ...one, content }] : [];
      });
      for (const one of filled) refuseLarger(one, workload);
      if (filled.length > 0) await fill(deploymentId, filled).finally(() => copies!.clear(keyOf(deploymentId)));
      for (const { volume, claim } of all)
        if (!filled.some((one) => one.volume === volume)) await use(deploymentId, claim);
    },
  };
}

/** A directory as storage would accept it anyway. */
function refuseLarger({ volume, mountPath, claim, content }: Filled, { pod, image }: Workload): void {
  const roomBytes = sizeOf(claim);
  if (content.contentBytes <= roomBytes) return;
  const words = `Image ${image} has ${printBytes(content.contentBytes)} at ${mountPath}, and the volume ${volume} has room for ${printBytes(roomBytes)}.`;
  throw new EngineFault('bad-request', words, { image, pods: [pod], hint: 'make the volume larger' });
}

function sizeOf({ spec }: FoundClaim): number {
  return bytesOf(spec?.resources?.requests?.storage) ?? 0;
}
