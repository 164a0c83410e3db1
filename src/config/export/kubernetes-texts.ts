/** PURE. Texts of an AppSpec as Kubernetes manifests have them. */
import { replaceScriptlets, type Scriptlet, scriptletsIn } from '../variables/scriptlets.ts';
import { piecesOf, type Secrets } from './secret-values.ts';

/** A placeholder for a value that the user must fill in. */
export const placeholder = 'REPLACE-ME';

export type Texts = { host: string; secrets: Secrets; withSecrets: boolean; names: ReadonlySet<string> };

/** Pods are found by the name of their Service: `db.pod` is a name that only Berth has. */
export function write(text: string, { host, secrets, withSecrets, names }: Texts): string {
  const addresses = { url: `https://${host}`, host, domain: host, registry: host };
  const resolve = (scriptlet: Scriptlet) => (scriptlet.kind === 'secret' ? placeholder : addresses[scriptlet.kind]);
  const shown = piecesOf(text, withSecrets ? [] : secrets)
    .map((piece) => ('secret' in piece ? placeholder : piece.text))
    .join('');
  return replaceScriptlets(shown, resolve).replaceAll(
    /([A-Za-z0-9][A-Za-z0-9-]{0,62})\.pod(?![A-Za-z0-9_-])/g,
    (whole, name) => (names.has(name as string) ? (name as string) : whole),
  );
}

/** Kubernetes replaces `$(NAME)` in values and commands. */
export function writeValue(text: string, texts: Texts): string {
  return write(text, texts).replaceAll('$(', '$$$$(');
}

export function isSecret(text: string, { secrets }: Texts): boolean {
  const isMadeUp = scriptletsIn(text).some(({ scriptlet }) => scriptlet?.kind === 'secret');
  return isMadeUp || piecesOf(text, secrets).some((piece) => 'secret' in piece);
}
