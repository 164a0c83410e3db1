/** Finds the secret values of an application, and names the variables for them in an export. Pure. */
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import { scriptletsIn } from '../variables/scriptlets.ts';
import { isSecretName } from '../variables/secret-names.ts';

/** Shorter values occur in many other words. */
const minLength = 6;

/** The passwords of addresses such as `postgres://user:password@db/app`. */
const passwordInUrl = /(?<=:\/\/[^/\s:@]{0,200}:)[^/\s@]{1,500}(?=@)/g;

/**
 * The secret values with the names of their variables. The longest comes first, so that no value is replaced by a part
 * of it.
 */
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
  for (const pod of pods) {
    for (const text of textsOf(pod)) {
      for (const [password] of text.matchAll(passwordInUrl)) {
        // A shell puts it in.
        if (!/^\$[\w{(]/.test(password)) enter(password, `${variableName(pod.name)}_PASSWORD`);
      }
    }
  }
  const secrets = [...found].map(([value, name]) => ({ value, name }));
  return secrets.sort((a, b) => b.value.length - a.value.length);
}

/** All texts that may contain an address with a password. */
function textsOf({ vars, entrypoint = [], command = [], healthCheck, files }: PodSpec): string[] {
  const check = healthCheck && 'command' in healthCheck ? healthCheck.command : [];
  return [...Object.values(vars), ...entrypoint, ...command, ...check, ...files.map(({ content }) => content)];
}

/** `WEB_1` for `web-1`. */
export function variableName(text: string): string {
  const name = text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

export type Piece = { text: string } | { secret: string };

/**
 * Splits a text into plain parts and secrets. A short secret is only recognized as the whole text, or as the password
 * of a URL.
 */
export function piecesOf(text: string, secrets: Secrets): Piece[] {
  const whole = secrets.find(({ value }) => value === text);
  if (whole) return [{ secret: whole.name }];
  let pieces = addressPieces(text, secrets);
  for (const { value, name } of secrets) {
    if (value.length < minLength) continue;
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

function addressPieces(text: string, secrets: Secrets): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: password, index } of text.matchAll(passwordInUrl)) {
    const known = secrets.find(({ value }) => value === password);
    if (!known) continue;
    pieces.push({ text: text.slice(from, index) }, { secret: known.name });
    from = index + password.length;
  }
  return [...pieces, { text: text.slice(from) }];
}
