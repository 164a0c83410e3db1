/**
 * Parts of a Compose file that use the local machine and that an application does not need. They are removed with a
 * note. The service refuses them in a document, because it cannot know their purpose.
 */
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import { listTree, mapTree, withKeys } from '../trees.ts';

/** @param document With the services that run. */
export function removeLocalParts(document: Tree, findings: Findings): Tree {
  const top = { tree: document, path: [] };
  const services = changed(childOf(top, 'services'), (name, service) => ofService(name, service, findings));
  const used = new Set(entriesOf(childOf(top, 'services')).flatMap(([, service]) => volumesOf(service)));
  const volumes = changed(childOf(top, 'volumes'), (name, volume) => ofVolume(name, volume, used.has(name), findings));
  return withKeys(document, { ...(services && { services }), ...(volumes && { volumes }) });
}

function ofService(name: string, service: Field, findings: Findings): Tree {
  const { tree } = service;
  if (tree.kind !== 'map') return tree;
  const ipc = childOf(service, 'ipc');
  const isHost = textOf(ipc) === 'host';
  if (isHost) {
    const message = `"ipc: host" of "${name}" is left out: every service has its own shared memory of 64 MiB`;
    findings.note('machine-left-out', message, ipc!.tree.at, 'shm_size: 256mb gives it more');
  }
  const hosts = childOf(service, 'extra_hosts');
  const kept = hosts && withoutGateway(name, hosts, findings);
  return withKeys(tree, { ...(isHost && { ipc: undefined }), ...(hosts && { extra_hosts: kept }) });
}

/** `host.docker.internal:host-gateway`: with this name, a service reaches programs on the local machine. */
function withoutGateway(service: string, hosts: Field, findings: Findings): Tree | undefined {
  const isGateway = (name: string, address: string, at: number) => {
    if (address.trim() !== 'host-gateway') return false;
    const message = `${name} of "${service}" is left out: it is this machine, which an application cannot reach`;
    const hint = 'programs of this machine that it needs can be another service, or have a public address';
    findings.note('machine-left-out', message, at, hint);
    return true;
  };
  const { tree } = hosts;
  if (tree.kind === 'map') {
    const kept = entriesOf(hosts).filter(([name, field]) => !isGateway(name, textOf(field) ?? '', field.tree.at));
    return mapTree(
      kept.map(([name, field]) => [name, field.tree]),
      tree.at,
    );
  }
  const kept = itemsOf(hosts).filter((item) => {
    const [, name = '', address = ''] = /^([^:=]+)[:=](.*)$/s.exec(textOf(item) ?? '') ?? [];
    return !isGateway(name, address, item.tree.at);
  });
  return listTree(
    kept.map((item) => item.tree),
    tree.at,
  );
}

/** `external: true`: a volume that was created on this machine, manually or by another project. */
function ofVolume(name: string, volume: Field, isUsed: boolean, findings: Findings): Tree {
  const { tree } = volume;
  const external = childOf(volume, 'external');
  const isExternal = external?.tree.kind === 'map' || /^(?:true|yes|on)$/i.test(textOf(external) ?? '');
  if (tree.kind !== 'map' || !isExternal) return tree;
  if (isUsed) {
    const message = `the volume "${name}" starts empty: the data of the external volume stays on this machine`;
    findings.note('outside-data', message, external!.key?.at ?? external!.tree.at);
  }
  return withKeys(tree, { external: undefined, name: undefined });
}

function volumesOf(service: Field): string[] {
  return itemsOf(childOf(service, 'volumes')).flatMap((item) =>
    item.tree.kind === 'map' ? (textOf(childOf(item, 'source')) ?? []) : ((textOf(item) ?? '').split(':')[0] ?? []),
  );
}

function changed(field: Field | undefined, change: (name: string, field: Field) => Tree): Tree | undefined {
  if (field?.tree.kind !== 'map') return undefined;
  const entries = entriesOf(field).map(([name, one]): [string, Entry] => [
    name,
    { key: one.key ?? one.tree, value: change(name, one) },
  ]);
  return { ...field.tree, entries: new Map(entries) };
}
