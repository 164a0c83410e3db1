/** Scriptlets: `<% NAME %>` in a text, replaced when the deployment's host is known. Pure. */

/** The value that a scriptlet stands for. */
export type Scriptlet =
  | { kind: 'url' | 'domain' | 'host' | 'registry' }
  /** A random value of the deployment: the same in all its pods and after every update. */
  | { kind: 'secret'; name: string };

export type Found = { whole: string; inner: string; scriptlet: Scriptlet | undefined };

// Without a repeated space on either side: `<%` and thousands of spaces must not take quadratic time.
const anyScriptlet = /<%([^%<>]{0,200})%>/g;
const simple = { URL: 'url', DOMAIN: 'domain', HOST: 'host', REGISTRY: 'registry' } as const;

/** Returns all scriptlets of a text, known or not, with any spacing. */
export function scriptletsIn(text: string): Found[] {
  if (!text.includes('<%')) return [];
  return Array.from(text.matchAll(anyScriptlet), ([whole, inner]) => ({
    whole,
    inner: inner!.trim(),
    scriptlet: readScriptlet(inner!.trim()),
  }));
}

/** The text with every known scriptlet replaced. */
export function replaceScriptlets(text: string, replace: (scriptlet: Scriptlet) => string): string {
  if (!text.includes('<%')) return text;
  return text.replace(anyScriptlet, (whole, inner: string) => {
    const scriptlet = readScriptlet(inner.trim());
    return scriptlet ? replace(scriptlet) : whole;
  });
}

/** `<% SECRET DB_PASSWORD %>` */
export function secretScriptlet(name: string): string {
  return `<% SECRET ${name} %>`;
}

function readScriptlet(inner: string): Scriptlet | undefined {
  if (Object.hasOwn(simple, inner)) return { kind: simple[inner as keyof typeof simple] };
  const secret = /^SECRET\s+([A-Za-z_][A-Za-z0-9_]*)$/.exec(inner);
  return secret ? { kind: 'secret', name: secret[1]! } : undefined;
}
