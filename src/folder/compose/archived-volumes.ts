/** Volumes with initial content from archives: `x-berth: { fill: { .: volumes/data.tar } }`, as exports contain it. */
import { posix, resolve } from 'node:path';
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import type { FolderLayer } from '../project.ts';
import { refuseOutside } from '../read-text.ts';
import { withKeys } from '../trees.ts';

type Context = { files: FolderFiles; findings: Findings };

/**
 * The archives are added to the image of a service that mounts the volume, because a new volume starts with the content
 * of its image.
 */
export function archivedVolumes(service: Field, document: Tree, { files, findings }: Context): FolderLayer[] {
  const volumes = childOf({ tree: document, path: [] }, 'volumes');
  return itemsOf(childOf(service, 'volumes')).flatMap((item) => {
    const { source, target } = mountOf(item);
    const fill = childOf(childOf(childOf(volumes, source), 'x-berth'), 'fill');
    if (target === '') return [];
    return entriesOf(fill).flatMap(([below, value]): FolderLayer[] => {
      const written = textOf(value);
      if (written === undefined) return [];
      const from = resolve(files.folder, written);
      const { at } = value.tree;
      const { kind } = files.look(from);
      if (kind === 'file')
        return [{ from, kind: 'archive', to: posix.resolve(target, below), at: findings.placeOf(at) }];
      if (kind === 'outside') refuseOutside(from, files, findings, at);
      else
        findings.refuse(
          'missing-file',
          `${shownPath(files, from)}, which the volume "${source}" begins with, is not there`,
          at,
        );
      return [];
    });
  });
}

function mountOf(item: Field): { source: string; target: string } {
  if (item.tree.kind === 'map')
    return { source: textOf(childOf(item, 'source')) ?? '', target: textOf(childOf(item, 'target')) ?? '' };
  const [source = '', target = ''] = (textOf(item) ?? '').split(':');
  return { source, target };
}

/** The service does not use this key. */
export function withoutFills(volumes: Tree | undefined): Tree | undefined {
  if (volumes?.kind !== 'map') return volumes;
  const changed = entriesOf({ tree: volumes, path: [] }).map(([name, definition]): [string, Entry] => {
    const own = childOf(definition, 'x-berth');
    const value = childOf(own, 'fill')
      ? withKeys(definition.tree, { 'x-berth': withKeys(own!.tree, { fill: undefined }) })
      : definition.tree;
    return [name, { key: definition.key ?? value, value }];
  });
  return { ...volumes, entries: new Map(changed) };
}
