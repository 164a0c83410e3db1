/** Reads `depends_on` and `links`: the services that must start before a service. */
import { listOf, quote } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, entriesOf, type Field, itemsOf } from '../document/tree.ts';
import { isAlias } from './compose-names.ts';
import type { Reading } from './compose-reader.ts';
import { hostsOfServices } from './container-keys.ts';
import type { Dependency, Draft } from './draft.ts';

const conditions = ['service_started', 'service_healthy', 'service_completed_successfully'];

export function readDependencies(service: Field, reading: Reading): Dependency[] {
  const dependsOn = childOf(service, 'depends_on');
  const listed = dependsOn?.tree.kind === 'map' ? [] : itemsOf(dependsOn);
  const short = listed.flatMap((field): Dependency[] => {
    const name = reading.text(field);
    return name ? [{ service: name, condition: 'service_started', isRequired: true, field }] : [];
  });
  const long = entriesOf(dependsOn).map(([name, field]): Dependency => {
    const conditionField = childOf(field, 'condition');
    const condition = (conditionField && reading.text(conditionField)) ?? 'service_started';
    if (conditionField && !conditions.includes(condition)) {
      const hint = `known are ${conditions.join(', ')}`;
      reading.error(conditionField, 'bad-condition', `${quote(condition)} is not a condition`, hint);
    }
    const required = childOf(field, 'required');
    const restart = childOf(field, 'restart');
    const isRestartedWith = restart !== undefined && reading.text(restart) === 'true';
    return {
      service: name,
      condition,
      isRequired: !required || reading.text(required) !== 'false',
      isRestartedWith,
      field,
    };
  });
  const links = linksOf(service, reading).map(
    ({ target, field }): Dependency => ({ service: target, condition: 'service_started', isRequired: true, field }),
  );
  return [...short, ...long, ...links];
}

/** `db:database`: the service `db` is also `database`. Without its colon a link is only an order of start. */
function linksOf(service: Field, reading: Reading): { target: string; alias?: string; field: Field }[] {
  return itemsOf(childOf(service, 'links')).flatMap((field) => {
    const [target, alias] = (reading.text(field) ?? '').split(':');
    return target ? [{ target, ...(alias && { alias }), field }] : [];
  });
}

/** Fills in `dependsOn` and the aliases of links, and marks services as jobs if others wait for their end. */
export function connect(drafts: Draft[], leftOut: ReadonlyMap<string, string>, reading: Reading): void {
  const byService = new Map(drafts.map((draft) => [draft.service, draft]));
  for (const draft of drafts) {
    const before = new Set<string>();
    const restartsWith: string[] = [];
    for (const { service, condition, isRequired, isRestartedWith, field } of draft.dependencies) {
      const other = byService.get(service);
      if (!other) {
        if (isRequired) reportMissing(service, field, leftOut, [...byService.keys()], reading);
        continue;
      }
      if (before.has(other.pod.name)) continue;
      draft.origins.set(['dependsOn', before.size], field);
      before.add(other.pod.name);
      if (isRestartedWith) restartsWith.push(other.pod.name);
      if (condition === 'service_completed_successfully') other.pod.resourceType = 'job';
    }
    const dependsOn = childOf(draft.field, 'depends_on') ?? childOf(draft.field, 'links');
    if (dependsOn) draft.origins.set(['dependsOn'], dependsOn);
    draft.pod.dependsOn = [...before];
    if (restartsWith.length > 0) draft.pod.restartsWith = restartsWith;
  }
  for (const draft of drafts) {
    for (const { target, alias, field } of linksOf(draft.field, reading)) {
      const other = byService.get(target);
      if (!other || alias === undefined || alias === other.pod.name) continue;
      if (isAlias(alias)) other.pod.aliases = [...new Set([...(other.pod.aliases ?? []), alias])];
      else
        reading.warn(
          field,
          'ignored',
          `${quote(alias)} is not a host name and is ignored`,
          'write letters, digits and hyphens',
        );
    }
  }
  for (const draft of drafts) {
    for (const { alias, service } of hostsOfServices(draft.field, (name) => byService.has(name), reading)) {
      const { pod } = byService.get(service)!;
      if (isAlias(alias) && alias !== pod.name) pod.aliases = [...new Set([...(pod.aliases ?? []), alias])];
    }
  }
  dropTakenAliases(drafts);
}

/** An alias does not override the name of a service. */
function dropTakenAliases(drafts: Draft[]): void {
  const owners = new Map(drafts.flatMap(({ service, pod }) => [[service, pod] as const, [pod.name, pod] as const]));
  for (const { pod } of drafts) {
    const aliases = pod.aliases?.filter((name) => (owners.get(name) ?? pod) === pod) ?? [];
    if (aliases.length > 0) pod.aliases = aliases;
    else delete pod.aliases;
  }
}

function reportMissing(
  service: string,
  field: Field,
  leftOut: ReadonlyMap<string, string>,
  services: string[],
  reading: Reading,
): void {
  const why = leftOut.get(service);
  if (why !== undefined) {
    reading.warn(field, 'left-out', `the service "${service}" is left out, and no service waits for it`, why);
    return;
  }
  const guess = nearestName(service, services);
  const hint = guess ? `did you mean "${guess}"?` : `the services are ${listOf(services)}`;
  reading.error(field, 'unknown-service', `the document has no service ${quote(service)}`, hint);
}
