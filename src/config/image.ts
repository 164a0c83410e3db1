/** Image references, by the grammar of the distribution project (its `reference` package). */

export type ImageReference =
  | { kind: 'complete'; usesRegistry: boolean }
  | { kind: 'untagged' }
  | { kind: 'placeholder' }
  | { kind: 'invalid'; because: string };

const registryScriptlet = /^<%\s*REGISTRY\s*%>\//;
const host = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[0-9a-fA-F:]+\\])(?::\\d{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const grammar = new RegExp(
  `^(?:${host}/)?${component}(?:/${component})*(?<tag>:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?<digest>@sha256:[0-9a-f]{64})?$`,
);

/** Sorts a reference as written in a document; `<% REGISTRY %>/…` counts as a registry host. */
export function parseImageReference(image: string): ImageReference {
  // An unquoted `# filled by pipeline` is a YAML comment and leaves nothing; quoted, or in brackets, it arrives here.
  if (/^$|^[#[{$]|<[^%]/.test(image)) return { kind: 'placeholder' };
  const usesRegistry = registryScriptlet.test(image);
  const reference = image.replace(registryScriptlet, 'registry.invalid/');
  if (reference.length > 512) return { kind: 'invalid', because: 'it is too long' };
  const match = grammar.exec(reference);
  if (!match) {
    const because = /\s/.test(reference)
      ? 'it holds a space'
      : /[A-Z]/.test(reference)
        ? 'it holds upper-case letters'
        : 'see its characters';
    return { kind: 'invalid', because };
  }
  return match.groups?.tag || match.groups?.digest ? { kind: 'complete', usesRegistry } : { kind: 'untagged' };
}
