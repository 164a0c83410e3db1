/** PURE. Names of images that users have pushed to this service, as documents write them and as they are stored. */
import { splitImage } from './image-names.ts';

/**
 * The registry in the references of revisions, because the address of this service may change. RFC 6761 reserves the
 * name.
 */
export const pushedRegistry = 'pushed.invalid';

export type PushedName = {
  /** The first part of the names of an owner's images. Absent: the owner is the user who starts or updates. */
  namespace?: string;
  /** The name without the namespace. */
  name: string;
  reference: { tag: string } | { digest: string };
};

const namespaceGrammar = /^[sa][0-9a-f]{16}$/;

/**
 * `./api`, `./api:1`, `<namespace>/api:1`, or with the address of the service as it was pushed; undefined for an image
 * of a registry elsewhere. `host`: that of the service, with its port.
 */
export function readPushedName(image: string, host: string): PushedName | undefined {
  const { name: whole, tag = 'latest', digest } = splitImage(image);
  const reference = digest === undefined ? { tag } : { digest };
  if (whole.startsWith('./')) return { name: whole.slice(2), reference };
  const path = whole.startsWith(`${host}/`) ? whole.slice(host.length + 1) : whole;
  const slash = path.indexOf('/');
  const namespace = path.slice(0, slash);
  return slash > 0 && namespaceGrammar.test(namespace)
    ? { namespace, name: path.slice(slash + 1), reference }
    : undefined;
}

/** Returns the reference that a revision uses. The tag has no effect, and is only for users. */
export function pushedReference(repository: string, { digest, tag }: { digest: string; tag?: string }): string {
  return `${pushedRegistry}/${repository}${tag === undefined ? '' : `:${tag}`}@${digest}`;
}

/** Returns the parts of such a reference. Undefined for another registry. */
export function readPushedReference(reference: string): { repository: string; digest: string } | undefined {
  if (!reference.startsWith(`${pushedRegistry}/`)) return undefined;
  const { name, digest } = splitImage(reference);
  return digest === undefined ? undefined : { repository: name.slice(pushedRegistry.length + 1), digest };
}

/** The same value with all names of pushed images in the form that their owner uses: `./api:1`. */
export function withShortNames<T>(value: T): T {
  if (typeof value === 'string') return ownersWords(value) as T;
  if (Array.isArray(value)) return value.map(withShortNames) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortNames(each)])) as T;
}

/** If a reference has a tag and a digest, the user wrote the tag. */
const storedReference =
  /pushed\.invalid\/[sa][0-9a-f]{16}\/([a-z0-9._/-]*[a-z0-9])(?::([\w.-]{1,128}))?(@sha256:[0-9a-f]{64})?/g;

function ownersWords(text: string): string {
  if (!text.includes(pushedRegistry)) return text;
  return text
    .replaceAll(storedReference, (_, name: string, tag?: string, digest = '') =>
      tag === undefined ? `./${name}${digest}` : `./${name}:${tag}`,
    )
    .replaceAll(`registry ${pushedRegistry}`, 'registry of this server');
}
