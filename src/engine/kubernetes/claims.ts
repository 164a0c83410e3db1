/** PURE. Which claim is which volume: a restore puts another one into its place, and the one before goes after that. */
import { labelKeys } from '../labels.ts';
import { copyKey, readPlace } from './manifests/marks.ts';
import { clusterName } from './names.ts';
import type { FoundClaim, FoundController, FoundPod, VolumeSource } from './objects.ts';

/** By volume, of the claims of one deployment. */
export function claimsOfVolumes(claims: readonly FoundClaim[]): Map<string, FoundClaim> {
  const found = new Map<string, FoundClaim>();
  for (const claim of claims.filter(isOfVolume)) {
    const volume = volumeOf(claim);
    const other = found.get(volume);
    if (!other || isBefore(other, claim)) found.set(volume, claim);
  }
  return found;
}

/** Excludes claims for copies that are still being assembled. */
export function isOfVolume({ metadata }: FoundClaim): boolean {
  return metadata.labels?.[copyKey] === undefined;
}

export function volumeOf({ metadata }: FoundClaim): string {
  return metadata.annotations?.[labelKeys.volume] ?? metadata.name;
}

/** One that is being removed has been replaced, or is what is left. */
function isBefore(one: FoundClaim, other: FoundClaim): boolean {
  const [isGoing, otherGoes] = [one, other].map(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (isGoing !== otherGoes) return isGoing!;
  return readPlace(one.metadata.annotations).place < readPlace(other.metadata.annotations).place;
}

/** Claims whose name differs from that of their volume. */
export function replacedClaims(claims: readonly FoundClaim[]): Map<string, string> {
  const current = [...claimsOfVolumes(claims)].map(([volume, { metadata }]) => [volume, metadata.name] as const);
  return new Map(current.filter(([volume, name]) => name !== clusterName(volume)));
}

/** Whether it has one of the claims, or is to have it. */
export function mounts({ spec }: { spec?: { volumes?: VolumeSource[] } }, claims: ReadonlySet<string>): boolean {
  return spec?.volumes?.some(({ persistentVolumeClaim: source }) => source && claims.has(source.claimName)) ?? false;
}

export function templateMounts({ spec }: FoundController, claims: ReadonlySet<string>): boolean {
  return spec?.template !== undefined && mounts(spec.template, claims);
}

/** Its containers have not ended for good. */
export function isAtWork({ status }: FoundPod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
