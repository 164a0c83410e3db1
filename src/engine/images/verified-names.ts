/**
 * PURE. The host's names for registry images that passed the gate. A document cannot name one: the domain is reserved
 * (RFC 6761), so an image with such a name was pulled by Berth.
 */
import { locateImage, pin } from '../../config/values/image-names.ts';

const domain = 'berth.invalid';

/** Returns the verified name of a reference, pinned or not. Undefined if the name is too long for the engine. */
export function verifiedName(image: string): string | undefined {
  const { registry, repository, reference } = locateImage(image);
  // No host has two underscores, and no repository a colon.
  const path = `${registry.replace(':', '__')}/${repository}`;
  const digest = /^sha256:([0-9a-f]{64})$/.exec(reference)?.[1];
  const name = digest ? `${domain}/digest/${path}:${digest}` : `${domain}/tag/${path}:${reference}`;
  return name.length <= longest ? name : undefined;
}

/** Docker's limit is 255 characters without the tag. */
const longest = 250;

export function isVerifiedName(name: string): boolean {
  return name.startsWith(`${domain}/`);
}

/**
 * Returns the pinned reference, in the notation of `image`, of an image with these names. Undefined if no digest is
 * known.
 */
export function pinnedAmong(names: readonly string[], image: string): string | undefined {
  const start = verifiedName(pin(image, `sha256:${'0'.repeat(64)}`))?.slice(0, -64);
  const found = start && names.find((name) => name.startsWith(start) && name.length === start.length + 64);
  return found && pin(image, `sha256:${found.slice(-64)}`);
}

/** The reference of a verified name, in full: `docker.io/library/nginx@sha256:…`, or with a tag. */
export function referenceOf(name: string): string | undefined {
  const [, kind, path = '', tag = ''] = /^berth\.invalid\/(digest|tag)\/(.+):([^:/]+)$/.exec(name) ?? [];
  if (!kind) return undefined;
  const full = path.replace('__', ':');
  return kind === 'digest' ? `${full}@sha256:${tag}` : `${full}:${tag}`;
}
