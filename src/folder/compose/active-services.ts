/** Selects the services of a Compose file that run: services without a profile, or with an enabled one. */
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import type { Variables } from '../local-variables.ts';
import { withKeys } from '../trees.ts';

/**
 * Removes the inactive services and the dependencies on them from the document. If none is left, the user must choose
 * profiles.
 */
export function activeServices(
  document: Tree,
  profiles: readonly string[],
  { findings, variables }: { findings: Findings; variables: Pick<Variables, 'whys'> },
): Tree {
  const services = childOf({ tree: document, path: [] }, 'services');
  const all = entriesOf(services);
  const every = [...new Set(all.flatMap(([, service]) => profilesOf(service)))];
  if (all.length > 0 && all.every(([, service]) => isInProfile(service, profiles))) {
    needProfiles(every, profiles, services!.key?.at ?? services!.tree.at, { findings, variables });
    return withoutServices(document, [], new Set());
  }
  const active = all.filter(([name, service]) => isActive(name, service, profiles, findings));
  const gone = new Set(all.map(([name]) => name).filter((name) => !active.some(([kept]) => kept === name)));
  return withoutServices(document, active, gone);
}

function needProfiles(
  every: readonly string[],
  given: readonly string[],
  at: number,
  { findings, variables }: { findings: Findings; variables: Pick<Variables, 'whys'> },
): void {
  const why = `every service is in a profile: ${every.join(', ')}`;
  if (given.length === 0) {
    variables.whys.set('COMPOSE_PROFILES', why);
    findings.needed.set('COMPOSE_PROFILES', [at]);
  } else {
    const hint = `--profile ${every[0]} enables one, --profile '*' enables all`;
    findings.refuse('no-services', `${given.join(', ')} enables nothing; ${why}`, at, hint);
  }
}

function profilesOf(service: Field): string[] {
  return itemsOf(childOf(service, 'profiles')).flatMap((item) => textOf(item) ?? []);
}

/** Returns whether the service is in a profile that is not enabled. */
function isInProfile(service: Field, profiles: readonly string[]): boolean {
  const own = profilesOf(service);
  return own.length > 0 && !profiles.includes('*') && !own.some((profile) => profiles.includes(profile));
}

function isActive(name: string, service: Field, profiles: readonly string[], findings: Findings): boolean {
  if (isInProfile(service, profiles)) {
    const message = `the service "${name}" is left out: it is in a profile`;
    const { at } = service.key ?? service.tree;
    findings.note('left-out', message, at, `--profile ${profilesOf(service)[0]} enables it`);
    return false;
  }
  const count = textOf(childOf(service, 'scale')) ?? textOf(childOf(childOf(service, 'deploy'), 'replicas'));
  if (count !== '0') return true;
  findings.note('left-out', `the service "${name}" is left out: it has no replicas`, service.key?.at);
  return false;
}

/** Keeps only these services, without dependencies on the removed ones. */
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
