/** Values of ConfigMaps and Secrets, sizes of claims, and the parts that cannot be converted. */
import { parseBytes } from '../values/units.ts';
import { type Fields, fieldsOf, type Manifest, textOf } from './manifests.ts';

export type Cluster = {
  valuesOf(kind: 'ConfigMap' | 'Secret', name: string): Record<string, string> | undefined;
  claimBytes(name: string): number | undefined;
  /** Records a part that the converted document lacks. */
  miss(what: string): void;
};

export function clusterOf(manifests: readonly Manifest[], miss: (what: string) => void): Cluster {
  const find = (kind: string, name: string) => manifests.find((one) => one.kind === kind && one.name === name)?.body;
  return {
    valuesOf(kind, name) {
      const body = find(kind, name);
      if (!body) return undefined;
      if (kind === 'ConfigMap') return textsOf(body.data);
      return {
        ...decoded(body.data, (key) => miss(`the binary value "${key}" of Secret ${name}`)),
        ...textsOf(body.stringData),
      };
    },
    claimBytes: (name) => sizeOf(fieldsOf(find('PersistentVolumeClaim', name)?.spec)),
    miss,
  };
}

/** The size that a claim, or the template of one, requests. */
export function sizeOf(spec: Fields): number | undefined {
  const size = textOf(fieldsOf(fieldsOf(spec.resources).requests).storage);
  const bytes = size === undefined ? Number.NaN : parseBytes(size);
  return Number.isFinite(bytes) && bytes > 0 ? bytes : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, one]) => [key, textOf(one) ?? '']));
}

function decoded(value: unknown, isBinary: (key: string) => void): Record<string, string> {
  return Object.fromEntries(
    Object.entries(textsOf(value)).flatMap(([key, text]) => {
      const plain = fromBase64(text);
      if (plain === undefined) isBinary(key);
      return plain === undefined ? [] : [[key, plain]];
    }),
  );
}

/** The text that is encoded; undefined if it is not base64 or not UTF-8. */
function fromBase64(text: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
