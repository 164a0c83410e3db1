/** Removes a configuration's secrets from the shown output of its pods. */
import type { AppSpec } from '../../config/spec/spec.ts';
import { createWordSearch, shortestWord } from '../../lib/word-search.ts';

/** The replacement of a secret. */
export const redacted = '[redacted]';

/** Names of variables that contain secrets. */
const secretName = /pass|secret|token|key|credential|auth|private|salt|dsn/i;

/** The password of a URL, such as `postgresql://user:password@db.pod/`. */
const addressPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** A shorter secret, encoded, would match too many texts. */
const shortestEncoded = 8;

/** Each secret adds ten search texts. No hand-written configuration has 100 secrets. */
const maxEncoded = 100;

/**
 * Returns a function that replaces every secret of the configuration in a text. `environments`: the resolved variables
 * of its workloads, with generated values. Secrets in JSON, URLs and base64 (a header with a password) are replaced
 * too.
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
    // The end of a truncated text may be the beginning of a secret.
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

/** Returns the base64 characters that encode only the secret, if it begins at this offset within three bytes. */
function base64After(before: number, secret: string): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
}
