/** Which services of a Compose file run: those without a profile, or with one that is enabled. */
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import { withKeys } from '../trees.ts';

/** The others are left out of the document, and with them what waits for them. */
export function keepActive(document: Tree, profiles: readonly string[], findings: Findings): Tree {
  const services = childOf({ tree: document, path: [] }, 'services');
  const all = entriesOf(services);
  const active = all.filter(([name, service]) => isActive(name, service, profiles, findings));
  const gone = new Set(all.map(([name]) => name).filter((name) => !active.some(([kept]) => kept === name)));
  return withoutServices(document, active, gone);
}

function isActive(name: string, service: Field, profiles: readonly string[], findings: Findings): boolean {
  const own = itemsOf(childOf(service, 'profiles')).flatMap((item) => textOf(item) ?? []);
  if (own.length > 0 && !profiles.includes('*') && !own.some((profile) => profiles.includes(profile))) {
    const { at } = service.key ?? service.tree;
    findings.note(
      'left-out',
      `the service "${name}" is left out: it is in a profile`,
      at,
      `--profile ${own[0]} enables it`,
    );
    return false;
  }
  const count = textOf(childOf(service, 'scale')) ?? textOf(childOf(childOf(service, 'deploy'), 'replicas'));
  if (count !== '0') return true;
  findings.note('left-out', `the service "${name}" is left out: it has no replicas`, service.key?.at);
  return false;
}

/** With these services alone; nobody waits for those that are gone. */
export function withoutServices(document: Tree, kept: readonly [string, Field][], gone: ReadonlySet<string>): Tree {
  const services = childOf({ tree: document, path: [] }, 'services');
  if (!services) return document;
  const entries = kept.map(([name, { tree, key }]): [string, Entry] => [
    name,
    {
      key: key ?? tree,
      value:
        tree.kind === 'map'
          ? withKeys(tree, {
              profiles: undefined,
              depends_on: without(childOf({ tree, path: [] }, 'depends_on'), gone),
            })
          : tree,
    },
  ]);
  const { at, to } = services.tree;
  return withKeys(document, { services: { kind: 'map', entries: new Map(entries), at, to } });
}

function without(field: Field | undefined, gone: ReadonlySet<string>): Tree | undefined {
  if (!field || gone.size === 0) return field?.tree;
  const { tree } = field;
  if (tree.kind === 'map') {
    return withKeys(
      tree,
      Object.fromEntries([...gone].filter((name) => tree.entries.has(name)).map((name) => [name, undefined])),
    );
  }
  if (tree.kind !== 'list') return tree;
  return { ...tree, items: tree.items.filter((item) => item.kind !== 'scalar' || !gone.has(item.text)) };
}
