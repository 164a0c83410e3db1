/** Loads Compose files and merges them with everything from `include` and `extends` into one tree. */
import { dirname, resolve } from 'node:path';
import { mergeDocuments, mergeService } from '../../config/compose/merge.ts';
import { maxDocumentBytes } from '../../config/document/source.ts';
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import { interpolateTree, openVariables, type Variables, withFallback } from '../local-variables.ts';
import { readText } from '../read-text.ts';
import { mapTree, withKeys } from '../trees.ts';
import { absolutePath, type Bases, withAbsolutePaths } from './local-paths.ts';

export type Loading = { files: FolderFiles; findings: Findings; home: string | undefined };
export type Loaded = { tree: Tree; sources: string[] };

/** Most files of a project, and longest chain of them. */
const most = { files: 100, chain: 20 };

/**
 * @param paths Absolute paths. Later files are merged over earlier ones. Undefined if a file cannot be read, which is
 * refused.
 */
export function loadCompose(paths: readonly string[], variables: Variables, loading: Loading): Loaded | undefined {
  const { files, findings, home } = loading;
  const sources: string[] = [];
  const texts = new Map<string, Tree | undefined>();

  const readTree = (path: string, at: number | undefined): Tree | undefined => {
    const known = texts.get(path);
    if (known) return known;
    const text = readText(path, { files, findings, maxBytes: maxDocumentBytes, at });
    if (text === undefined) return undefined;
    if (sources.length >= most.files) {
      findings.refuse('too-many-files', `more than ${most.files} files are included`, at);
      return undefined;
    }
    const shown = shownPath(files, path);
    sources.push(shown);
    const tree = findings.readYaml(shown, text);
    texts.set(path, tree);
    return tree;
  };

  /** Loads one file for the merge: variables replaced, paths absolute, services extended. */
  const loadFile = (path: string, bases: Bases, from: Variables, chain: readonly string[], at?: number) => {
    const written = readTree(path, at);
    if (!written) return undefined;
    if (written.kind !== 'map') {
      findings.refuse('not-a-map', `${shownPath(files, path)} is not a Compose file`, written.at);
      return undefined;
    }
    const known = withFallback(from, ownVariables(written));
    const replaced = interpolateTree(written, known, findings);
    const local = withAbsolutePaths(replaced, bases);
    const extended = extendServices(local, path, bases, known, chain);
    return includeFiles(extended, path, bases, known, chain);
  };

  const extendServices = (tree: Tree, path: string, bases: Bases, from: Variables, chain: readonly string[]): Tree => {
    const services = childOf({ tree, path: [] }, 'services');
    if (services?.tree.kind !== 'map') return tree;
    const done = new Map<string, Tree>();
    const extend = (name: string, service: Field, links: readonly string[]): Tree => {
      const ready = done.get(name);
      if (ready) return ready;
      const extension = childOf(service, 'extends');
      const base = extension && baseOf(name, extension, links);
      const merged = base ? mergeService(base, service.tree) : service.tree;
      const own = merged.kind === 'map' ? withKeys(merged, { extends: undefined }) : merged;
      const kept = service.tree.mergeTag ? { ...own, mergeTag: service.tree.mergeTag } : own;
      done.set(name, kept);
      return kept;
    };
    const baseOf = (name: string, extension: Field, links: readonly string[]): Tree | undefined => {
      const file = textOf(childOf(extension, 'file'));
      const wanted = textOf(extension.tree.kind === 'scalar' ? extension : childOf(extension, 'service'));
      const { at } = extension.tree;
      const target = file === undefined ? path : absolutePath(file, bases);
      const link = `${shownPath(files, target)}:${wanted}`;
      if (links.includes(link) || chain.includes(link) || links.length + chain.length >= most.chain) {
        findings.refuse('extends-cycle', `services extend each other in a cycle: ${[...links, link].join(' → ')}`, at);
        return undefined;
      }
      if (target === path) {
        const found = entriesOf(services).find(([other]) => other === wanted);
        if (found) return extend(found[0], found[1], [...links, link]);
        findings.refuse('unknown-service', `the document has no service "${wanted ?? ''}" to extend for "${name}"`, at);
        return undefined;
      }
      const below = { base: dirname(target), home };
      const other = loadFile(target, below, from, [...chain, ...links, link], at);
      if (!other) return undefined;
      const found = wanted === undefined ? undefined : childOf(childOf({ tree: other, path: [] }, 'services'), wanted);
      if (!found) {
        const message = `${shownPath(files, target)} has no service "${wanted ?? ''}" to extend for "${name}"`;
        findings.refuse('unknown-service', message, at);
      }
      return found?.tree;
    };
    const entries = entriesOf(services).map(([name, service]): [string, Entry] => {
      const link = `${shownPath(files, path)}:${name}`;
      return [name, { key: service.key ?? service.tree, value: extend(name, service, [link]) }];
    });
    return withKeys(tree, { services: { ...services.tree, entries: new Map(entries) } });
  };

  /** Included files are the base of the file, which may change them. */
  const includeFiles = (tree: Tree, path: string, bases: Bases, from: Variables, chain: readonly string[]): Tree => {
    let below: Tree | undefined;
    for (const item of itemsOf(childOf({ tree, path: [] }, 'include'))) {
      const { at } = item.tree;
      const named = itemsOf(item.tree.kind === 'map' ? childOf(item, 'path') : item).flatMap(
        (one) => textOf(one) ?? [],
      );
      if (named.some((one) => /^(?:https?|git|oci):|^git@/.test(one))) {
        findings.refuse('remote-include', 'files are not included from elsewhere', at, 'put a copy next to this file');
        continue;
      }
      const targets = named.map((one) => absolutePath(one, bases));
      const [first] = targets;
      if (first === undefined) continue;
      const link = `include ${targets.map((target) => shownPath(files, target)).join(' ')}`;
      if (targets.includes(path) || chain.includes(link) || chain.length >= most.chain) {
        findings.refuse('include-cycle', `files include each other in a circle: ${[...chain, link].join(' → ')}`, at);
        continue;
      }
      const directory = textOf(childOf(item, 'project_directory'));
      const base = directory === undefined ? dirname(first) : absolutePath(directory, bases);
      const envFiles = itemsOf(childOf(item, 'env_file')).flatMap((one) => textOf(one) ?? []);
      const own = openVariables(
        base,
        envFiles.length > 0 ? { envFiles: envFiles.map((file) => resolve(bases.base, file)) } : {},
        files,
        findings,
      );
      const merged = loadMerged(targets, { base, home }, withFallback(from, own.lookup), [...chain, link], at);
      sources.push(...own.sources.filter((source) => !sources.includes(source)));
      // If two included files define the same thing, the first one wins, as in Compose.
      if (merged) below = below ? mergeDocuments(merged, below) : merged;
    }
    return below ? mergeDocuments(below, withKeys(tree, { include: undefined })) : tree;
  };

  const loadMerged = (
    all: readonly string[],
    bases: Bases,
    from: Variables,
    chain: readonly string[],
    at?: number,
  ): Tree | undefined => {
    const trees = all.map((path) => loadFile(path, bases, from, chain, at));
    return trees.reduce((below, above) => (below && above ? mergeDocuments(below, above) : undefined), mapTree([], 0));
  };

  const tree = loadMerged(paths, { base: dirname(paths[0]!), home }, variables, []);
  return tree && { tree, sources };
}

/** `x-berth: { vars: … }`, where a document without a folder has its values. */
function ownVariables(document: Tree): (name: string) => string | undefined {
  const vars = childOf(childOf({ tree: document, path: [] }, 'x-berth'), 'vars');
  return (name) => textOf(childOf(vars, name));
}
