/** Keeps the secrets of a configuration out of what is shown of its pods' output. */
import type { AppSpec } from '../config/spec.ts';

/** A variable with such a name holds a secret. */
const secretName = /pass|secret|token|key|credential|auth|private|salt|dsn/i;

/** The password of an address, e.g. `postgresql://user:password@db.pod/`. */
const addressPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** Shorter values stand in too many places by chance. */
const shortestSecret = 4;

/**
 * A function that replaces every secret of the configuration in a text. `environments` are the variables of its
 * workloads, in which generated values have their place.
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
  const ordered = [...secrets].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
