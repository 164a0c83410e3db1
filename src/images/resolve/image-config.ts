/** PURE. Configurations of images and the platforms that they are for. */
import { type Digest, isDigest } from '../../lib/digest.ts';
import { isObject, type ManifestFault, type Platform, parseObject } from '../manifests/manifest.ts';

/** The fields of an image's configuration that are needed before the image is pulled. */
export type ImageConfig = {
  platform: Platform;
  /** The digest of each unpacked layer. */
  diffIds: Digest[];
  volumes: number;
  labels: number;
  environmentBytes: number;
};

/** Undefined if the content is not a configuration. */
export function readConfig(content: Uint8Array): ImageConfig | undefined {
  const document = parseObject(content);
  const { os, architecture, rootfs, config } = document ?? {};
  if (typeof architecture !== 'string' || !isObject(rootfs) || !Array.isArray(rootfs.diff_ids)) return undefined;
  const named: unknown[] = rootfs.diff_ids;
  const diffIds = named.filter((each) => typeof each === 'string').filter(isDigest);
  if (diffIds.length < named.length) return undefined;
  const { Volumes, Labels, Env } = isObject(config) ? config : {};
  const environment = Array.isArray(Env) ? Env : [];
  return {
    platform: { os: typeof os === 'string' ? os : 'linux', architecture },
    diffIds,
    volumes: isObject(Volumes) ? Object.keys(Volumes).length : 0,
    labels: isObject(Labels) ? Object.keys(Labels).length : 0,
    environmentBytes: Buffer.byteLength(environment.join('\0')),
  };
}

/** Returns the paths that the image declares as volumes. Empty if the configuration is not readable. */
export function declaredVolumes(content: Uint8Array): string[] {
  const { config } = parseObject(content) ?? {};
  const { Volumes } = isObject(config) ? config : {};
  return isObject(Volumes) ? Object.keys(Volumes) : [];
}

/** Returns the user of its program as written. Empty for root, or if the configuration is not readable. */
export function declaredUser(content: Uint8Array): string {
  const { config } = parseObject(content) ?? {};
  const { User } = isObject(config) ? config : {};
  return typeof User === 'string' ? User : '';
}

/** The entry for this platform; of several variants the one without, or the newest. Attestations have no platform. */
export function choosePlatform<Entry extends { platform: Platform | undefined }>(
  entries: readonly Entry[],
  { os, architecture }: Platform,
): Entry | undefined {
  const fitting = entries.filter(({ platform }) => platform?.os === os && platform.architecture === architecture);
  const plain = fitting.find(({ platform }) => platform?.variant === undefined);
  return plain ?? fitting.toSorted((a, b) => (a.platform!.variant! < b.platform!.variant! ? 1 : -1))[0];
}

/** For people: `linux/arm64 and windows/amd64`. */
export function printPlatforms(entries: readonly { platform: Platform | undefined }[]): string {
  const known = entries.flatMap(({ platform }) =>
    platform && platform.os !== 'unknown' ? [printPlatform(platform)] : [],
  );
  const names = [...new Set(known)].slice(0, 8);
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? 'no known platform');
}

/** Names of a stranger's: letters, digits and separators at most. */
export function printPlatform({ os, architecture }: Platform): string {
  return shown(`${os}/${architecture}`);
}

/** Why a manifest cannot be run, as a message for the owner of a deployment. */

/** Follows "Image x …". */
export function whyNotRun(fault: ManifestFault): string {
  switch (fault.kind) {
    case 'schema-version':
      return fault.found === 1 ? 'is in a format from before 2016; push it again' : noManifest;
    case 'media-type':
    case 'config-type':
      return `is not a container image: ${shown(fault.found)}`;
    case 'foreign-layer':
      return 'has layers that its registry does not have (foreign layers)';
    case 'layer-type':
      return `has a layer of an unknown kind: ${shown(fault.found)}`;
    case 'urls':
      return 'has parts outside of its registry (urls)';
    case 'digest':
      return `has a digest that is not sha256: ${shown(fault.found)}`;
    default:
      return noManifest;
  }
}

const noManifest = 'has an invalid manifest, or one with more values than an image needs';

/** Words of a stranger's: letters, digits and separators at most, and not many. */
function shown(text: unknown): string {
  const name = typeof text === 'string' ? text.replaceAll(/[^\w.+/:-]/g, '?') : 'nothing';
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
