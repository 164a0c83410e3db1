/** Attempts from inside a container: each by name, with the result without firewall rules. */
import type { Attempt } from './agent.ts';
import { hostPorts, lanAddress, multicastGroup, outside } from './network-world.ts';

/** Addresses that are known only when the machine runs. */
export type Known = {
  /** The machine's address and a pod's address, in the attacker's own network and in another user's. */
  gateway: string;
  otherGateway: string;
  otherPod: string;
  /** The machine's address in the engine's default network, and that of a container without a deployment. */
  engineGateway: string;
  strangerContainer: string;
  /** Names of another user's container and network. */
  otherContainer: string;
  ownPeer: string;
  edgePort: number;
};

export type Case = {
  name: string;
  attempt: (known: Known) => Attempt;
  /** Refused by the engine or by what a container is, with our rules and without: no control can succeed. */
  isClosedAnyway?: true;
};

const tcp = (host: string, port: number): Attempt => ({ by: 'tcp', host, port });
const http = (host: string, port: number, path: string): Attempt => ({ by: 'http', host, port, path });
const udp = (host: string, port: number): Attempt => ({ by: 'udp', host, port });

export const reachable: Case[] = [
  { name: 'another pod of its own by name', attempt: () => tcp('peer.pod', 4000) },
  { name: 'another pod of its own by short name', attempt: () => tcp('peer', 4000) },
  { name: 'another pod of its own by address', attempt: ({ ownPeer }) => tcp(ownPeer, 4000) },
  { name: 'the public internet by TCP', attempt: () => tcp(outside.public, 443) },
  { name: 'the public internet by UDP', attempt: () => udp(outside.public, 443) },
  { name: 'a public name, through the resolver of the machine', attempt: () => ({ by: 'name', host: 'public.test' }) },
  { name: 'the public internet by that name', attempt: () => tcp('public.test', 80) },
  {
    name: 'the public port of the edge, at the address of the machine',
    attempt: ({ edgePort }) => http(lanAddress, edgePort, '/'),
  },
];

const { anywhere, lanOnly, engine, published, group } = hostPorts;

export const unreachable: Case[] = [
  {
    name: 'a service of the machine at the gateway of its own network',
    attempt: ({ gateway }) => tcp(gateway, anywhere),
  },
  { name: 'the same by UDP', attempt: ({ gateway }) => udp(gateway, anywhere) },
  { name: 'a service of the machine at its address in the local network', attempt: () => tcp(lanAddress, anywhere) },
  {
    name: 'a service of the machine at the gateway of another deployment',
    attempt: ({ otherGateway }) => tcp(otherGateway, anywhere),
  },
  {
    name: "a service of the machine at the engine's own gateway",
    attempt: ({ engineGateway }) => tcp(engineGateway, anywhere),
  },
  { name: 'a service of the machine that listens for the local network only', attempt: () => tcp(lanAddress, lanOnly) },
  { name: 'the same by UDP, at the address in the local network', attempt: () => udp(lanAddress, lanOnly) },
  { name: 'a service of the machine by broadcast', attempt: () => udp('255.255.255.255', anywhere) },
  { name: 'a service of the machine by multicast', attempt: () => udp(multicastGroup, group) },
  { name: 'the machine by ping', attempt: ({ gateway }) => ({ by: 'ping', host: gateway }), isClosedAnyway: true },
  { name: 'the engine, where it listens on the machine', attempt: ({ gateway }) => http(gateway, engine, '/version') },
  { name: "a port that a stranger's container publishes on the machine", attempt: () => tcp(lanAddress, published) },
  { name: 'a private address (10.0.0.0/8)', attempt: () => tcp(outside.privateA, 80) },
  { name: 'a private address (172.16.0.0/12)', attempt: () => tcp(outside.privateB, 5432) },
  { name: 'a private address (192.168.0.0/16)', attempt: () => tcp(outside.privateC, 443) },
  { name: 'a private address by UDP', attempt: () => udp(outside.privateA, 443) },
  { name: 'a private address by ping', attempt: () => ({ by: 'ping', host: outside.privateA }), isClosedAnyway: true },
  {
    name: "an address shared with the provider's other customers (100.64.0.0/10)",
    attempt: () => tcp(outside.shared, 80),
  },
  {
    name: 'a link-local address, where clouds keep the secrets of a machine (169.254.0.0/16)',
    attempt: () => tcp(outside.linkLocal, 80),
  },
  { name: 'a link-local address behind a public name', attempt: () => tcp('rebound.test', 80) },
  { name: 'an address for protocols (192.0.0.0/24)', attempt: () => tcp(outside.protocol, 80) },
  { name: 'an address for benchmarks (198.18.0.0/15)', attempt: () => tcp(outside.benchmark, 80) },
  { name: "the resolver's other services", attempt: () => tcp(outside.resolver, 80) },
  { name: 'a mail server at port 25', attempt: () => tcp(outside.public, 25) },
  { name: 'a mail server at port 465', attempt: () => tcp(outside.public, 465) },
  { name: 'a mail server at port 587', attempt: () => tcp(outside.public, 587) },
  { name: "another deployment's pod by address", attempt: ({ otherPod }) => tcp(otherPod, 4000), isClosedAnyway: true },
  {
    name: "another deployment's pod by the name of its container",
    attempt: ({ otherContainer }) => tcp(otherContainer, 4000),
    isClosedAnyway: true,
  },
  {
    name: "another deployment's pod by ping",
    attempt: ({ otherPod }) => ({ by: 'ping', host: otherPod }),
    isClosedAnyway: true,
  },
  {
    name: "a stranger's container by address",
    attempt: ({ strangerContainer }) => tcp(strangerContainer, published),
    isClosedAnyway: true,
  },
  { name: 'a public address by IPv6', attempt: () => tcp('2001:db8:77::7', 80), isClosedAnyway: true },
  { name: 'a private address by IPv6', attempt: () => tcp('fd00:77::7', 80), isClosedAnyway: true },
  { name: 'the machine by IPv6, on the link', attempt: () => tcp('fe80::1%eth0', anywhere), isClosedAnyway: true },
];
