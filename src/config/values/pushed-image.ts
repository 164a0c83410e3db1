/** PURE. Names of images that users have pushed to this service, as documents write them and as they are stored. */
import { splitImage } from './image-names.ts';

/**
 * The registry in the references that revisions run from: the address of this service may change. RFC 6761 keeps the
 * name from ever being anybody's.
 */
export const pushedRegistry = 'pushed.invalid';

export type PushedName = {
  /** The first part of the names of an owner's images; absent: of whoever starts or updates. */
  namespace?: string;
  /** Behind the namespace. */
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

/** The reference that a revision runs from. */
export function pushedReference(repository: string, digest: string): string {
  return `${pushedRegistry}/${repository}@${digest}`;
}

/** What such a reference names; undefined for one of another registry. */
export function readPushedReference(reference: string): { repository: string; digest: string } | undefined {
  const [, repository, digest] = /^pushed\.invalid\/([^@]+)@(.+)$/.exec(reference) ?? [];
  return repository === undefined || digest === undefined ? undefined : { repository, digest };
}
