/** Completions at the cursor. Pure. */
import type { Cursor } from './cursor.ts';
import { type Schema, schemasAt } from './schema.ts';

export type Proposal = {
  label: string;
  kind: 'key' | 'value';
  /** Shown next to the label, e.g. `required`. */
  detail?: string;
  /** A description of the key or value. */
  says?: string;
  /**
   * The inserted text. After `
   * `, the line is indented one step more than the key.
   */
  text: string;
  /** Required keys come first. */
  isFirst?: boolean;
};

/** Images that applications here often begin with. */
const images = ['node:26-slim', 'nginx:1', 'postgres:15', 'redis:7', 'python:3-slim'];
const scriptlets = {
  '<% URL %>': 'The address of the application, e.g. https://jolly-tapir-shop.example.net.',
  '<% DOMAIN %>': 'Its host, with the port where it has one.',
  '<% HOST %>': 'Its host without the port, for cookies and e-mail addresses.',
};

/** `pods`: the names in the document, for places that name one. */
export function proposalsAt(schema: Schema, cursor: Cursor, pods: readonly string[]): Proposal[] {
  if (cursor.kind === 'none') return [];
  return cursor.kind === 'key' ? keysAt(schema, cursor) : valuesAt(schema, cursor.path, pods);
}

function keysAt(schema: Schema, { path, siblings }: Extract<Cursor, { kind: 'key' }>): Proposal[] {
  const proposals = new Map<string, Proposal>();
  for (const { properties = {}, required: always = [], else: otherwise } of schemasAt(schema, path)) {
    const required = [...always, ...(otherwise?.required ?? [])];
    for (const [key, child] of Object.entries(properties)) {
      if (siblings.has(key) || proposals.has(key)) continue;
      const isRequired = required.includes(key);
      proposals.set(key, {
        label: key,
        kind: 'key',
        text: `${key}:${openingOf(child)}`,
        ...(child.description !== undefined && { says: plain(child.description) }),
        ...(isRequired && { detail: 'required', isFirst: true }),
      });
    }
  }
  return [...proposals.values()];
}

/** Returns the beginning of the value after its key. */
function openingOf(schema: Schema): string {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  const [example] = schema.examples ?? [];
  if (types.includes('object')) return '\n';
  if (types.every((type) => type === 'array')) return Array.isArray(example) ? ' [' : '\n- ';
  return ' ';
}

function valuesAt(schema: Schema, path: readonly string[], pods: readonly string[]): Proposal[] {
  const value = (label: string, says?: string): Proposal => {
    return { label, kind: 'value', text: label, ...(says !== undefined && { says }) };
  };
  if (path.includes('vars') || path.includes('environment')) {
    const hosts = pods.map((pod) => value(`${pod}.pod`, `The pod ${pod}, as the other pods reach it.`));
    return [...hosts, ...Object.entries(scriptlets).map(([label, says]) => value(label, says))];
  }
  if (path.at(-2) === 'dependsOn' || path.at(-2) === 'depends_on') return pods.map((pod) => value(pod));
  if (path.at(-1) === 'image') return images.map((image) => value(image));
  const found = schemasAt(schema, path);
  const listed = found.flatMap(({ enum: values = [] }) => values.map(String));
  const logical = found.some(({ type }) => type === 'boolean') ? ['true', 'false'] : [];
  const examples = found.flatMap(({ examples = [] }) =>
    examples.filter((example) => typeof example !== 'object').map(String),
  );
  return [...new Set([...listed, ...logical, ...(listed.length + logical.length > 0 ? [] : examples)])].map((text) =>
    value(text),
  );
}

/** Names of pods (or services), read from the text as far as it can be read. */
export function podNamesOf(text: string): string[] {
  const pods = Array.from(text.matchAll(/^\s*-\s+name:\s*["']?([a-z][a-z0-9-]*)/gm), ([, name]) => name!);
  const services = /^services\s*:\s*\n([\s\S]*?)(?=^\S|(?![\s\S]))/m.exec(text)?.[1] ?? '';
  const indent = /^( +)\S/m.exec(services)?.[1] ?? '  ';
  const named = Array.from(services.matchAll(new RegExp(`^${indent}([\\w.-]+):`, 'gm')), ([, name]) => name!);
  return [...new Set([...pods, ...named])];
}

/** Returns the text of a Markdown description. */
export function plain(description: string): string {
  return description.replaceAll('`', '');
}
