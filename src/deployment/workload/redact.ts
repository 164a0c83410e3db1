/** Keeps the secrets of a configuration out of what is shown of its pods' output. */
import type { AppSpec } from '../../config/spec/spec.ts';
import { createWordSearch, shortestWord } from '../../lib/word-search.ts';

/** What stands where a secret was. */
export const redacted = '[redacted]';

/** A variable with such a name holds a secret. */
const secretName = /pass|secret|token|key|credential|auth|private|salt|dsn/i;

/** The password of an address, e.g. `postgresql://user:password@db.pod/`. */
const addressPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** Encoded, a shorter one is a few letters that stand in too many places. */
const shortestEncoded = 8;

/** Each is ten more to look for; 100 secrets are more than any configuration has that was written by hand. */
const maxEncoded = 100;

/**
 * A function that replaces every secret of the configuration in a text. `environments` are the variables of its
 * workloads, in which generated values have their place. Programs also print secrets as JSON, in addresses and in
 * base64 (a header with a password); those forms are replaced too.
 */
export function redactorOf(spec: AppSpec, environments: Record<string, string>[]): (text: string) => string {
  const secrets = new Set<string>();
  const add = (text: string) => text.trim().length >= shortestWord && secrets.add(text.trim());
  if (spec.registryLogin) add(spec.registryLogin.personalAccessToken);
  for (const [name, value] of environments.flatMap((variables) => Object.entries(variables))) {
    if (secretName.test(name)) add(value);
    for (const [, password] of value.matchAll(addressPassword)) add(password!);
  }
  for (const { files } of spec.pods) {
    for (const { content } of files.filter(({ isSecret }) => isSecret)) {
      for (const line of content.split('\n')) add(line);
    }
  }
  const encoded = [...secrets].filter(({ length }) => length >= shortestEncoded).slice(0, maxEncoded);
  const search = createWordSearch([...secrets, ...encoded.flatMap(encodingsOf)]);
  return (text) => {
    // Of a text that was cut off the end may be the beginning of a secret.
    const isCut = text.endsWith('…');
    const known = isCut ? text.slice(0, -1) : text;
    const spans = search.spansIn(known, isCut);
    const kept = [...spans, { from: text.length, to: text.length }].map(({ from }, index) =>
      text.slice(spans[index - 1]?.to ?? 0, from),
    );
    return kept.join(redacted);
  };
}

function encodingsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) => base64After(before, secret));
  return [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Those letters of base64 that stand for the secret alone when other bytes, so many of each three, are before it. */
function base64After(before: number, secret: string): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
}
