/** PURE. Names of pushed images: `<namespace>/<name>:<tag>`, as the distribution specification has them. */
import { createHash } from 'node:crypto';
import { type Digest, isDigest } from '../../lib/digest.ts';

/** The owner of images. */
export type ImageOwner = { kind: 'session'; sessionId: string } | { kind: 'account'; accountId: string };

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repositoryGrammar = new RegExp(`^${component}(?:/${component})+$`);
const tagGrammar = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * Returns the first part of the names of an owner's images: public, constant, and no help in guessing a token or an ID.
 * With 64 bits, a collision needs billions of owners.
 */
export function namespaceOf(owner: ImageOwner): string {
  const [letter, id] = owner.kind === 'session' ? ['s', owner.sessionId] : ['a', owner.accountId];
  return `${letter}${createHash('sha256').update(`images of ${owner.kind} ${id}`).digest('hex').slice(0, 16)}`;
}

/** Returns whether the name is complete, with its namespace. */
export function isRepository(text: string): boolean {
  // The grammar is unambiguous, so matching takes linear time.
  return text.length <= 255 && repositoryGrammar.test(text);
}

export function namespaceIn(repository: string): string {
  return repository.slice(0, repository.indexOf('/'));
}

export type ManifestReference = { kind: 'tag'; tag: string } | { kind: 'digest'; digest: Digest };

/** Undefined if the text is neither a tag nor a digest. */
export function readReference(text: string): ManifestReference | undefined {
  if (isDigest(text)) return { kind: 'digest', digest: text };
  return tagGrammar.test(text) ? { kind: 'tag', tag: text } : undefined;
}
