/** Applies the native rules to a Compose file. Their paths and messages name pods, which are mapped to services. */

import type { Diagnostic, Path, TextEdit } from '../diagnostics/diagnostics.ts';
import { printPath } from '../diagnostics/diagnostics.ts';
import { replaceValue } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import type { Field } from '../document/tree.ts';
import { openTool } from '../software/admin-tools.ts';
import { unsavedData } from '../software/data-directories.ts';
import type { Draft } from './draft.ts';

/** Returns a source in which native paths lead to the services of the pods. */
export function asNativeSource(source: Source, drafts: Draft[], services: Field): NativeSource {
  const fields = new Map<string, Field>();
  const owners = new Map<string, Draft>();
  const ownerOf = ([, second, index]: Path) =>
    second === 'pods' && typeof index === 'number' ? drafts[index] : undefined;
  const find = (path: Path): Field => {
    const [, , , ...rest] = path;
    const draft = ownerOf(path);
    if (!draft) return services;
    return draft.origins.find(rest) ?? draft.origins.find(rest.slice(0, 1)) ?? draft.field;
  };
  return {
    source: {
      ...source,
      place(path, key) {
        const full = key === undefined ? path : [...path, key];
        const field = find(full);
        const owner = ownerOf(full);
        fields.set(printPath(full), field);
        if (owner) owners.set(printPath(full), owner);
        const { tree } = field;
        const isCollection = tree.kind !== 'scalar' || tree.value === null;
        return source.at(isCollection && field.key ? field.key.at : tree.at);
      },
      textOf: () => undefined,
      rewrite(path, text) {
        const [, , , ...rest] = path;
        const field = ownerOf(path)?.origins.at(rest);
        return field && rewriteVariable(source, field, String(rest.at(-1)), withoutSuffix(text));
      },
    },
    translate(diagnostic) {
      const field = fields.get(diagnostic.path);
      const own = Object.hasOwn(words, diagnostic.code) ? words[diagnostic.code] : undefined;
      const draft = owners.get(diagnostic.path);
      const ownHint = typeof own?.hint === 'function' ? draft && own.hint(draft) : own?.hint;
      // Other fixes edit the native form and do not apply.
      const { fix, ...rest } = diagnostic;
      return {
        ...rest,
        ...(fix && diagnostic.code === 'unknown-host' && { fix }),
        path: field ? printPath(field.path) : diagnostic.path,
        message: own?.message ?? asServices(diagnostic.message),
        ...((ownHint ?? diagnostic.hint) !== undefined && { hint: ownHint ?? asServices(diagnostic.hint!) }),
      };
    },
  };
}

export type NativeSource = { source: Source; translate(diagnostic: Diagnostic): Diagnostic };

/** Messages for problems that are solved differently in Compose. */
const words: Record<string, { message?: string; hint?: string | ((draft: Draft) => string | undefined) }> = {
  'no-public-path': {
    message: 'no service publishes an HTTP port',
    hint: 'publish the port of the service that visitors see, for example ports: ["80"], or write x-berth: { path: / } and expose: ["3000"]',
  },
  'option-without-path': { hint: 'add x-berth: { path: /… }, or remove the option' },
  'path-without-port': { hint: 'add expose: ["3000"] with the port that it listens on' },
  'duplicate-path': { hint: 'give each public service a path of its own: x-berth: { path: /… }' },
  'registry-without-login': {
    hint: 'add x-berth: { registryLogin: { registry: …, username: …, personalAccessToken: … } } at the top',
  },
  'shared-data': {
    hint: 'write x-berth: { resourceType: statefulset }: each replica then has its own, or one replica',
  },
  'database-without-volume': {
    hint: ({ service, pod }) => {
      const volume = `${service}-data`;
      return `add volumes: ["${volume}:${unsavedData(pod)?.directory}"], with volumes: { ${volume}: } at the top`;
    },
  },
  'public-admin-tool': {
    hint: ({ pod }) => {
      const open = openTool(pod);
      const internal = 'write x-berth: { path: false } to keep it internal';
      return open && open.because !== 'no-password'
        ? `write ${open.variable}: <% SECRET ${open.variable} %> under environment:, or ${internal}`
        : internal;
    },
  },
  'argument-too-long': { hint: 'write it as a file, under configs with content, and name the file' },
  'bad-var-value': { hint: 'write it as a file, under configs with content' },
  'not-a-job': { hint: 'write x-berth: { resourceType: job }' },
  'database-with-path': { hint: 'remove its path from x-berth; the other services reach it by its name' },
};

/**
 * Rules of the native form that do not apply to Compose, in which every service is reachable and dollars are
 * interpolated.
 */
const notOfCompose: ReadonlySet<string> = new Set(['no-ports', 'dollar-variable', 'pod-port-reference']);

/** For a diagnostic with a native path. Unnamed volumes are separate in Compose, too. */
export function isOfCompose({ code, path }: Diagnostic): boolean {
  return !notOfCompose.has(code) && !(code === 'shared-data' && /\.volumes\[\d+\]$/.test(path));
}

function asServices(text: string): string {
  return withoutSuffix(
    text.replace(/(?<![.\w-])pod(s?)(?![\w-])/g, 'service$1').replace(/\bservicePorts\b/g, 'expose'),
  );
}

/** In Compose, a service is addressed by its name without a suffix. */
function withoutSuffix(text: string): string {
  return text.replace(/(?<=[a-z0-9])\.pod(?![\w-])/g, '');
}

/**
 * Replaces the value in a map, or all of `NAME=value` in a list. An interpolated value differs from the text of the
 * document and is not replaced.
 */
function rewriteVariable(source: Source, { tree, path }: Field, name: string, value: string): TextEdit | undefined {
  if (tree.kind !== 'scalar' || tree.text.includes('$')) return undefined;
  return replaceValue(source, path, typeof path.at(-1) === 'number' ? `${name}=${value}` : value);
}
