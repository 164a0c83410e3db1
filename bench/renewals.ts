/** Visitors, some with a handshake each, while certificates are replaced all the time: how many come through, and how many fail. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEdge, stopEdge } from '../src/edge/haproxy/haproxy.ts';
import type { NamedCertificate } from '../src/edge/haproxy/served-certificates.ts';
import { freePort } from '../test/free-port.ts';
import { makeAuthority } from '../test/support/certificate.ts';
import { plainSettings, site, startUpstream, stop } from '../test/support/edge.ts';
import { startVisitors, type Visited } from '../test/support/tls-visitors.ts';
import type { Undo } from './undo.ts';

export type RenewalOptions = { seconds: number; perSecond: number };
export type RenewalTimes = Visited & { asPerSecond: number; replaced: number };

const hosts = ['a.apps.test', 'b.apps.test', 'c.apps.test'];
const betweenMs = 500;

export async function measureRenewals(
  { seconds, perSecond }: RenewalOptions,
  undo: Undo,
  signal: AbortSignal,
): Promise<RenewalTimes> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  undo.add(`end HAProxy of ${dataDir}`, async () => {
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const [port, httpsPort] = [await freePort(), await freePort()];
  const authority = await makeAuthority();
  const issue = async (host: string): Promise<NamedCertificate> => {
    const { cert, key } = await authority.issue([`DNS:${host}`]);
    return { name: host, host, pem: cert + key };
  };
  // Two of each host take turns: what an authority does is not to be measured.
  const turns = await Promise.all([0, 1].map(() => Promise.all(hosts.map(issue))));
  const upstream = await startUpstream();
  undo.add('end the application', () => stop(upstream.server));
  const tls = { port: httpsPort, publicPort: httpsPort, isIssued: true };
  // All of them come from one address, and none is to wait for the others' places.
  const limits = { ...plainSettings.limits, connectionsPerClient: 4_096 };
  const settings = { ...plainSettings, limits, dataDir, port, tls };
  const edge = await startEdge(settings, { info: () => {}, warn: () => {} }, [], { certificates: turns[0]! });
  await edge.publish(hosts.map((host) => site(host, { '/': '127.0.1.1' }, upstream.port)));
  const visitors = startVisitors({ port: httpsPort, root: authority.root, hosts, path: '/', perSecond });
  const until = performance.now() + seconds * 1000;
  let replaced = 0;
  for (let turn = 1; performance.now() < until && !signal.aborted; turn += 1) {
    await edge.certify(turns[turn % turns.length]!);
    replaced += hosts.length;
    await delay(betweenMs, undefined, { signal }).catch(() => {});
  }
  const visited = await visitors.end();
  await edge.close();
  return { ...visited, asPerSecond: perSecond, replaced };
}
