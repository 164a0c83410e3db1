/** Reads a text of one or more YAML documents as Kubernetes manifests, by kind. */
import { parseAllDocuments } from 'yaml';

/** An object with unknown fields. Manifests are not validated; fields of an unexpected type are ignored. */
export type Fields = { readonly [key: string]: unknown };

export type Manifest = { kind: string; name: string; namespace?: string; labels: Fields; body: Fields };

/** Aliases that a manifest may use; more are an attack. */
const maxAliases = 100;

/** Returns whether a text begins like Kubernetes manifests, and not like a Berth document or a Compose file. */
export function isManifestText(text: string): boolean {
  const first = (key: string) => new RegExp(`^(?:${key}:|[{,]?[ \\t]*"${key}":)[ \\t]*["']?[A-Za-z]`, 'm').test(text);
  return first('apiVersion') && first('kind') && !/^(?:application|services):/m.test(text);
}

/** Returns all manifests of a text, including items of a List; undefined if a document is not valid YAML. */
export function readManifests(text: string): Manifest[] | undefined {
  try {
    const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined;
    return documents.flatMap((document) => manifestsIn(document.toJS({ maxAliasCount: maxAliases })));
  } catch {
    // Too many aliases, an unknown one, or nested too deeply.
    return undefined;
  }
}

function manifestsIn(value: unknown): Manifest[] {
  const body = fieldsOf(value);
  const kind = textOf(body.kind);
  if (kind === undefined) return [];
  if (kind.endsWith('List')) return listOf(body.items).flatMap(manifestsIn);
  const metadata = fieldsOf(body.metadata);
  const namespace = textOf(metadata.namespace);
  const labels = fieldsOf(metadata.labels);
  return [{ kind, name: textOf(metadata.name) ?? '', labels, body, ...(namespace !== undefined && { namespace }) }];
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? `${value}`
      : undefined;
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
