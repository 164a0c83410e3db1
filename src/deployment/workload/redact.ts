/** Keeps the secrets of a configuration out of what is shown of its pods' output. */
import type { AppSpec } from '../../config/spec/spec.ts';

/** A variable with such a name holds a secret. */
const secretName = /pass|secret|token|key|credential|auth|private|salt|dsn/i;

/** The password of an address, e.g. `postgresql://user:password@db.pod/`. */
const addressPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** Shorter values stand in too many places by chance. */
const shortestSecret = 4;

/** Encoded, a shorter one is a few letters that stand in too many places. */
const shortestEncoded = 8;

/** So many are looked for one by one faster than by their beginnings. */
const fewSecrets = 100;

/** Each costs a look at each line; 100 secrets are more than any configuration has that was written by hand. */
const maxEncoded = 100;

/**
 * A function that replaces every secret of the configuration in a text. `environments` are the variables of its
 * workloads, in which generated values have their place. Programs also print secrets as JSON, in addresses and in
 * base64 (a header with a password); those forms are replaced too.
 */
export function redactorOf(spec: AppSpec, environments: Record<string, string>[]): (text: string) => string {
  const secrets = new Set<string>();
  const add = (text: string) => text.trim().length >= shortestSecret && secrets.add(text.trim());
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
  // The longest first: of two secrets that begin alike, none leaves its end behind.
  const encoded = [...secrets].filter(({ length }) => length >= shortestEncoded).slice(0, maxEncoded);
  const forms = new Set([...secrets, ...encoded.flatMap(encodingsOf)]);
  const ordered = [...forms].toSorted((a, b) => b.length - a.length);
  const among = searchOf(ordered);
  return (text) =>
    withoutCut(
      among(text).reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text),
      ordered,
    );
}

/**
 * Which of the secrets may stand in a text, the longest first: those whose beginning does. A file of secrets can have
 * 30,000 lines, and a look for each of them in each line of a log took half a second for 1,000 lines.
 */
function searchOf(ordered: readonly string[]): (text: string) => readonly string[] {
  if (ordered.length <= fewSecrets) return () => ordered;
  const byBeginning = Map.groupBy(ordered, (secret) => secret.slice(0, shortestSecret));
  return (text) => {
    const found = new Set<string>();
    for (let at = 0; at + shortestSecret <= text.length; at++)
      for (const secret of byBeginning.get(text.slice(at, at + shortestSecret)) ?? []) found.add(secret);
    return [...found].toSorted((a, b) => b.length - a.length);
  };
}

/** Of a text that was cut off (`…`) the end may be the beginning of a secret. */
function withoutCut(text: string, secrets: readonly string[]): string {
  if (!text.endsWith('…')) return text;
  const rest = text.slice(0, -1);
  const lengthOf = (secret: string) => {
    for (let length = Math.min(secret.length, rest.length); length >= shortestSecret; length--)
      if (rest.endsWith(secret.slice(0, length))) return length;
    return 0;
  };
  const longest = Math.max(0, ...secrets.map(lengthOf));
  return longest === 0 ? text : `${rest.slice(0, -longest)}[redacted]…`;
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
