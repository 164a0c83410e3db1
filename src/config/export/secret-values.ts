/** Which values of an application are secrets, and the names under which an export asks for them. Pure. */
import type { AppSpec } from '../spec/spec.ts';
import { scriptletsIn } from '../variables/scriptlets.ts';
import { isSecretName } from '../variables/secret-names.ts';

/** Shorter ones are in every other word. */
const leastLength = 6;

/** The passwords of addresses such as `postgres://user:password@db/app`. */
const passwordInUrl = /:\/\/[^/\s:@]{0,200}:([^/\s@]{1,500})@/g;

/** Each secret value with the name of a variable; the longest first, so that none is replaced by a part of it. */
export type Secrets = readonly { value: string; name: string }[];

export function secretsOf({ pods }: AppSpec): Secrets {
  const found = new Map<string, string>();
  const names = new Map<string, number>();
  const enter = (value: string, wanted: string) => {
    if (value.length === 0 || found.has(value) || scriptletsIn(value).length > 0) return;
    const before = names.get(wanted) ?? 0;
    names.set(wanted, before + 1);
    found.set(value, before === 0 ? wanted : `${wanted}_${before + 1}`);
  };
  for (const { vars } of pods) {
    for (const [name, value] of Object.entries(vars)) if (isSecretName(name)) enter(value, name);
  }
  for (const { name: pod, vars } of pods) {
    for (const value of Object.values(vars)) {
      for (const [, password] of value.matchAll(passwordInUrl)) enter(password!, `${variableName(pod)}_PASSWORD`);
    }
  }
  const secrets = [...found].map(([value, name]) => ({ value, name }));
  return secrets.sort((a, b) => b.value.length - a.value.length);
}

/** `WEB_1` for `web-1`. */
export function variableName(text: string): string {
  const name = text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

export type Piece = { text: string } | { secret: string };

/** A text as what is written and what is a secret. A short secret is one only where it is the whole. */
export function piecesOf(text: string, secrets: Secrets): Piece[] {
  const whole = secrets.find(({ value }) => value === text);
  if (whole) return [{ secret: whole.name }];
  let pieces: Piece[] = [{ text }];
  for (const { value, name } of secrets) {
    if (value.length < leastLength) continue;
    pieces = pieces.flatMap((piece) => {
      if (!('text' in piece) || !piece.text.includes(value)) return [piece];
      return piece.text
        .split(value)
        .flatMap((part, at): Piece[] => [
          ...(at > 0 ? [{ secret: name }] : []),
          ...(part !== '' ? [{ text: part }] : []),
        ]);
    });
  }
  return pieces;
}
