/** Finds the place of each pod in a document. Pure. */
import { toPodNames } from '../compose/compose-names.ts';
import type { Source } from './source.ts';
import type { Mapping, Span, Tree } from './tree.ts';

/** Lines and columns count from 1. */
export type PodPlace = {
  name: string;
  /** Where its name is. */
  line: number;
  column: number;
  firstLine: number;
  lastLine: number;
};

/** Returns the places in document order. Services of a Compose file get the names of their pods. */
export function podPlacesOf(source: Source): PodPlace[] {
  const pods = childOf(childOf(source.root, 'application'), 'pods');
  if (pods?.kind === 'list') {
    return pods.items.flatMap((pod) => {
      const name = childOf(pod, 'name');
      return name?.kind === 'scalar' ? [placeOf(source, name.text, name, pod)] : [];
    });
  }
  const services = childOf(source.root, 'services');
  if (services?.kind !== 'map') return [];
  const names = toPodNames([...services.entries.keys()]);
  return Array.from(services.entries, ([service, { key, value }]) =>
    placeOf(source, names.get(service)!, key, { at: key.at, to: value.to }),
  );
}

function childOf(tree: Tree | undefined, key: string): Tree | undefined {
  return tree?.kind === 'map' ? (tree satisfies Mapping).entries.get(key)?.value : undefined;
}

function placeOf({ at, text }: Source, name: string, named: Span, whole: Span): PodPlace {
  // Lines between two pods belong to neither.
  const end = whole.at + text.slice(whole.at, whole.to).trimEnd().length;
  return { name, ...at(named.at), firstLine: at(whole.at).line, lastLine: at(end).line };
}
