/** Decides which services visitors reach, and under which address: from `x-berth`, or from the published HTTP ports. */

import type { Reading } from './compose-reader.ts';
import type { Draft } from './draft.ts';
import { reachedThroughProxy, sortByFront } from './front-services.ts';
import { knownImage, otherProtocol } from './known-images.ts';
import { type Port, portsOf } from './service-ports.ts';

type Candidate = {
  draft: Draft;
  port: Port;
  rank: number;
  isLocal: boolean;
  /** The service in front, through which visitors reach it. */
  through?: string;
};

/**
 * Assigns paths to the drafts and puts the port of each route first. `/` goes to the front service
 * (`front-services.ts`). Tools for operators come after applications, and data stores only get it if nothing else is
 * published.
 */
export function assignRoutes(drafts: Draft[], reading: Reading): void {
  for (const draft of drafts) applyExtension(draft);
  const found = drafts
    .filter(({ extension, pod }) => !extension.path && pod.resourceType !== 'job')
    .flatMap((draft) => candidateOf(draft, reading) ?? []);
  const isAnyPublic = drafts.some(({ pod }) => pod.path !== undefined);
  const candidates = withoutLocal(inOrder(found, drafts), isAnyPublic, reading);

  let isRootFree = !drafts.some(({ pod }) => pod.path === '/' && pod.subdomain === undefined);
  for (const { draft, port, rank, through } of candidates) {
    const { pod, service } = draft;
    if (through !== undefined) {
      warnOfThrough(draft, port, through, reading);
      continue;
    }
    if (rank === ranks.store && (!isRootFree || isAnyPublic)) {
      warnOfStore(draft, port, reading);
      continue;
    }
    pod.path = isRootFree ? '/' : `/${pod.name}`;
    draft.origins.set(['path'], port.field);
    putFirst(pod.servicePorts, port.port);
    if (!isRootFree) {
      const hint =
        'its links must begin with it, too: x-berth: { path: /… } chooses another, x-berth: { path: false } none';
      reading.warn(port.field, 'further-route', `the service "${service}" is at ${pod.path}`, hint);
    } else if (rank === ranks.store) {
      reading.warn(
        port.field,
        'public-store',
        `everyone can reach the data store "${service}"`,
        'publish the service that uses it instead',
      );
    }
    isRootFree = false;
    warnOfFurtherPorts(draft, port, reading);
    if (isForHttps(port.port)) {
      const hint = 'publish the port on which it speaks HTTP: certificates are not its task';
      reading.warn(port.field, 'https-port', `port ${port.port} receives HTTP, not HTTPS`, hint);
    }
  }
}

const ranks = { site: 0, tool: 1, store: 2 };

function inOrder(candidates: Candidate[], drafts: Draft[]): Candidate[] {
  const byPod = new Map(drafts.map(({ pod }) => [pod.name, pod.dependsOn]));
  const published = candidates.map((candidate) => {
    const { service, pod, ports } = candidate.draft;
    const isOnWebPort = ports.some(({ published: host }) => host === 80 || host === 443);
    return { candidate, service, pod: pod.name, image: pod.image, isOnWebPort };
  });
  const sites = published.filter(({ candidate }) => candidate.rank === ranks.site);
  const others = candidates.filter(({ rank }) => rank !== ranks.site).sort((a, b) => a.rank - b.rank);
  const uses = (pod: string) => byPod.get(pod) ?? [];
  const sorted = sortByFront(sites, uses);
  const hidden = new Set(reachedThroughProxy(sorted, uses));
  const [first] = sorted;
  const inFront = sorted.map((site) =>
    hidden.has(site) ? { ...site.candidate, through: first!.service } : site.candidate,
  );
  return [...inFront, ...others];
}

function applyExtension({ extension, pod, origins }: Draft): void {
  if (extension.port !== undefined) putFirst(pod.servicePorts, extension.port);
  if (!extension.path?.value) return;
  pod.path = extension.path.value;
  origins.set(['path'], extension.path.field);
}

/**
 * Services that are published on loopback only stay internal. If no other service is public, they are usually behind a
 * proxy on the machine. Then the first one gets `/`, with a note.
 */
function withoutLocal(candidates: Candidate[], isAnyPublic: boolean, reading: Reading): Candidate[] {
  const isSiteOpen = isAnyPublic || candidates.some(({ rank, isLocal }) => rank === ranks.site && !isLocal);
  const way = isSiteOpen ? undefined : candidates.find(({ rank }) => rank === ranks.site);
  if (way) {
    const message = `"${way.draft.service}" is published on the machine itself alone, and everyone can reach it here`;
    const hint = 'nothing else is published; write x-berth: { path: / } if that is meant';
    reading.warn(way.port.field, 'local-port', message, hint);
  }
  return candidates.filter((candidate) => {
    if (!candidate.isLocal || candidate === way) return true;
    keepLocal(candidate.draft, candidate.port, reading);
    return false;
  });
}

function keepLocal({ service }: Draft, { port, field }: Port, reading: Reading): void {
  reading.gather(field, 'local-port', 'document', `${port} of "${service}"`, (ports) => ({
    message: `${portsOf(ports)} published on the machine itself alone, and ${ports.length === 1 ? 'stays' : 'stay'} internal`,
    hint: 'the other services reach them; x-berth: { path: /… } makes a service public all the same',
  }));
}

/** Returns the published HTTP port, as far as it can be determined, and reports the others. */
function candidateOf(draft: Draft, reading: Reading): Candidate | undefined {
  const { pod, ports, extension } = draft;
  const open = ports.filter(
    ({ reach, port }) => reach === 'public' || (reach !== 'internal' && port === extension.port),
  );
  const isLocal = open.length === 0;
  const published = isLocal ? ports.filter(({ reach }) => reach === 'local') : open;
  const http = published.filter((port) => speaksHttp(port, pod.image));
  const chosen =
    published.find(({ port }) => port === extension.port) ?? http.find(({ port }) => !isForHttps(port)) ?? http[0];
  if (!chosen) {
    for (const port of published) (isLocal ? keepLocal : warnOfProtocol)(draft, port, reading);
    return undefined;
  }
  const role = knownImage(pod.image)?.role;
  const rank = role === 'store' ? ranks.store : role === 'tool' ? ranks.tool : ranks.site;
  return { draft, port: chosen, rank, isLocal };
}

function speaksHttp({ port, appProtocol }: Port, image: string): boolean {
  if (appProtocol !== undefined) return /^(?:https?|h2c?|grpc-web|ws|wss)$/.test(appProtocol);
  const known = knownImage(image);
  // The own port of a data store implies its protocol. Most stores with HTTP are listed with it.
  return otherProtocol(port, image) === undefined && !(known?.role === 'task');
}

function putFirst(ports: number[], port: number): void {
  const index = ports.indexOf(port);
  if (index !== -1) ports.splice(index, 1);
  ports.unshift(port);
}

function warnOfProtocol({ service, pod }: Draft, { port, field }: Port, reading: Reading): void {
  const protocol = otherProtocol(port, pod.image) ?? 'another protocol';
  reading.gather(field, 'not-http', 'service', `${port} (${protocol})`, (ports) => ({
    message: `${portsOf(ports)} not published: only HTTP is routed`,
    hint: `the other services reach it as ${service}:${port}; nothing else is needed`,
  }));
}

function warnOfThrough({ service }: Draft, { port, field }: Port, through: string, reading: Reading): void {
  const hint = `"${through}" reaches it as ${service}:${port}; x-berth: { path: /… } publishes it by itself`;
  reading.warn(field, 'behind-proxy', `visitors reach "${service}" through "${through}" alone`, hint);
}

function warnOfStore({ service }: Draft, { port, field }: Port, reading: Reading): void {
  const hint = `the other services reach it as ${service}:${port}; x-berth: { path: /… } publishes it all the same`;
  reading.warn(field, 'store-not-public', `the data store "${service}" is not published`, hint);
}

/** Ports for HTTPS are left out, because visitors have HTTPS without them. */
function warnOfFurtherPorts({ service, ports, pod }: Draft, chosen: Port, reading: Reading): void {
  const others = ports.filter(({ reach, port }) => reach === 'public' && port !== chosen.port && !isForHttps(port));
  const [first] = others;
  if (!first) return;
  const other = others.find((port) => speaksHttp(port, pod.image));
  const hint = other
    ? `one port of a service is routed; x-berth: { port: ${other.port} } chooses another`
    : 'one port of a service is routed, and HTTP alone; the other services reach them all';
  const what = portsOf(others.map(({ port }) => port));
  reading.warn(
    first.field,
    'further-port',
    `${what} not published; visitors of "${service}" reach ${chosen.port}`,
    hint,
  );
}

function isForHttps(port: number): boolean {
  return port === 443 || port === 8443;
}
