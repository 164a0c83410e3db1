/** The top-level `configs` and `secrets`: with their text in the document, or as files of the images that use them. */
import { posix } from 'node:path';
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import type { InlineFiles } from '../inline-files.ts';
import type { Variables } from '../local-variables.ts';
import { markOf } from '../marks.ts';
import type { FolderLayer } from '../project.ts';
import { refuseOutside } from '../read-text.ts';
import { scalar, withKeys } from '../trees.ts';

const kinds = ['configs', 'secrets'] as const;
type Kind = (typeof kinds)[number];

export type StoredFiles = {
  /** The document with `content` in place of `file` and `environment`. */
  document: Tree;
  /** Large or binary files, by `configs NAME`. */
  large: Map<string, string>;
};

/** `used`: only these are read. Others stay as they are written. */
export function readStoredFiles(
  document: Tree,
  used: ReadonlySet<string>,
  context: { files: FolderFiles; findings: Findings; inline: InlineFiles; variables: Variables },
): StoredFiles {
  const { files, findings, inline, variables } = context;
  const large = new Map<string, string>();
  const read = (kind: Kind, name: string, definition: Field): Tree | undefined => {
    const { tree } = definition;
    const { at } = tree;
    const environment = textOf(childOf(definition, 'environment'));
    if (environment !== undefined) {
      const content = scalar(variables.lookup(environment) ?? markOf(environment), at);
      return withKeys(tree, { environment: undefined, content });
    }
    const file = textOf(childOf(definition, 'file'));
    if (file === undefined) return tree;
    const place = childOf(definition, 'file')!.tree.at;
    const entry = files.look(file);
    if (entry.kind === 'outside') refuseOutside(file, files, findings, place);
    else if (entry.kind !== 'file') {
      const message = `${shownPath(files, file)}, the file of the ${kind.slice(0, -1)} "${name}", is not there`;
      findings.refuse('missing-file', message, place);
    } else {
      const taken = inline.takeFile(file, '/');
      if (taken) return withKeys(tree, { file: undefined, content: scalar(taken.content, at) });
      large.set(`${kind} ${name}`, file);
    }
    return undefined;
  };
  const changes = kinds.map((kind) => {
    const top = childOf({ tree: document, path: [] }, kind);
    const entries = entriesOf(top).flatMap(([name, definition]): [string, Entry][] => {
      if (!used.has(`${kind} ${name}`)) return [];
      const value = read(kind, name, definition);
      return value ? [[name, { key: definition.key ?? value, value }]] : [];
    });
    const tree = top && entries.length > 0 ? withEntries(top.tree, entries) : undefined;
    return [kind, tree] as const;
  });
  return { document: withKeys(document, Object.fromEntries(changes)), large };
}

function withEntries(tree: Tree, entries: [string, Entry][]): Tree {
  return { kind: 'map', entries: new Map(entries), at: tree.at, to: tree.to };
}

/** `configs NAME` and `secrets NAME` of what these services use. */
export function usedFiles(services: readonly Field[]): Set<string> {
  return new Set(
    services.flatMap((service) =>
      kinds.flatMap((kind) => itemsOf(childOf(service, kind)).map((item) => `${kind} ${sourceOf(item)}`)),
    ),
  );
}

/** Returns the service's `configs` and `secrets` that stay, and the layers for the others. */
export function splitUses(
  service: Field,
  large: ReadonlyMap<string, string>,
  findings: Findings,
): { changes: Record<Kind, Tree[]>; layers: FolderLayer[] } {
  const layers: FolderLayer[] = [];
  const kept = (kind: Kind) =>
    itemsOf(childOf(service, kind)).flatMap((item): Tree[] => {
      const source = sourceOf(item);
      const file = large.get(`${kind} ${source}`);
      if (file === undefined) return [item.tree];
      const target = (item.tree.kind === 'map' ? textOf(childOf(item, 'target')) : undefined) ?? source;
      const to = posix.resolve(kind === 'secrets' ? '/run/secrets' : '/', target);
      layers.push({ from: file, kind: 'file', to, at: findings.placeOf(item.tree.at) });
      return [];
    });
  return { changes: { configs: kept('configs'), secrets: kept('secrets') }, layers };
}

function sourceOf(item: Field): string {
  return textOf(item.tree.kind === 'map' ? childOf(item, 'source') : item) ?? '';
}
