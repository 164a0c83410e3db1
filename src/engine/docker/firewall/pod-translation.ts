/**
 * PURE. Pod addresses as rules for `nft`: a packet to a pod address is translated to a workload, and so is the
 * response. The kernel keeps open connections on their workload, so an update does not end them. The sender's address
 * is replaced with that of the bridge, so that the response passes this machine, which two containers of one bridge
 * would avoid otherwise.
 */
import { type PodTargets, podAddressRange } from '../../../deployment/workload/pod-addresses.ts';

/** Targets by the name of the bridge. */
export type BridgeTargets = ReadonlyMap<string, PodTargets>;

/**
 * Pod addresses with one workload, and those with several. Most have one, and listing the table takes time in
 * proportion to its entries.
 */
const [singleMap, sharedMap] = ['pods', 'shared_pods'] as const;
export const targetsMaps: readonly string[] = [singleMap, sharedMap];

/**
 * The number of entries of a shared pod address, distributed over its workloads. With up to 4, or 6 workloads, the
 * distribution is even. A packet chooses one at random, by a mark that other programs of this machine are unlikely to
 * use.
 */
const slots = 12;
const firstMark = 0xbe27_0000;

/**
 * Each connection to a pod address uses an entry of the kernel's connection table, which has 262,144 for the whole
 * machine. One deployment may use at most a twentieth. A closed connection releases its entry after seconds, not after
 * the kernel's two minutes, so 2,600 new ones per second are possible.
 */
const maxConnections = 13_000;
const closedSeconds = 5;

/** The objects of the table that translate. `ours`: the pattern of this installation's bridges, quoted. */
export function translationText(ours: string, bridges: BridgeTargets): string {
  const all = [...bridges].flatMap(([bridge, targets]) => targetElements(bridge, targets));
  const listOf = (map: string) => {
    const elements = all.filter((each) => each.map === map).map(({ element }) => element);
    return elements.length === 0 ? '' : `\n    elements = { ${elements.join(', ')} }`;
  };
  return `  ct timeout brief {
    protocol tcp
    l3proto ip
    policy = { time_wait : ${closedSeconds}, close : ${closedSeconds}, fin_wait : 30, last_ack : 10 }
  }
  map ${singleMap} {
    type ifname . ipv4_addr : ipv4_addr${listOf(singleMap)}
  }
  map ${sharedMap} {
    type ifname . ipv4_addr . mark : ipv4_addr${listOf(sharedMap)}
  }
  set crowded {
    type ifname
    size 65535
    flags dynamic
  }
  chain brevity {
    type filter hook prerouting priority mangle; policy accept;
    iifname ${ours} ip daddr ${podAddressRange} ct state new ct timeout set "brief"
  }
  chain to_pods {
    type nat hook prerouting priority dstnat - 20; policy accept;
    iifname ${ours} ip daddr != ${podAddressRange} accept
    iifname ${ours} dnat ip to iifname . ip daddr map @${singleMap}
    iifname ${ours} meta mark set numgen random mod ${slots} offset ${firstMark} dnat ip to iifname . ip daddr . meta mark map @${sharedMap}
  }
  chain from_pods {
    type nat hook postrouting priority srcnat - 10; policy accept;
    oifname ${ours} ct original ip daddr ${podAddressRange} masquerade
  }
`;
}

/** A rule for connections that leave a bridge. */
export const crowdRule = `ct state new ct original ip daddr ${podAddressRange} add @crowded { iifname ct count over ${maxConnections} } goto refuse`;

/** Returns commands that change the targets of a bridge's pod addresses; empty if nothing changes. */
export function retargetText(table: string, bridge: string, before: PodTargets, after: PodTargets): string {
  const words = (targets: PodTargets) =>
    targetElements(bridge, targets).map(({ map, element }) => `element inet ${table} ${map} { ${element} }`);
  const [old, wanted] = [words(before), words(after)];
  const lines = [
    ...old.filter((each) => !wanted.includes(each)).map((each) => `delete ${each}`),
    ...wanted.filter((each) => !old.includes(each)).map((each) => `add ${each}`),
  ];
  return lines.join('\n');
}

function targetElements(bridge: string, targets: PodTargets): { map: string; element: string }[] {
  return Object.entries(targets).flatMap(([address, leadsTo]): { map: string; element: string }[] => {
    if (leadsTo.length === 0) return [];
    const key = `"${bridge}" . ${address}`;
    if (leadsTo.length === 1) return [{ map: singleMap, element: `${key} : ${leadsTo[0]}` }];
    return Array.from({ length: slots }, (_, slot) => {
      return { map: sharedMap, element: `${key} . ${firstMark + slot} : ${leadsTo[slot % leadsTo.length]}` };
    });
  });
}

/** Reads the elements of a map, as `nft --json` lists them. */
export function readTargets(elem: unknown): Map<string, PodTargets> {
  const bridges = new Map<string, Record<string, string[]>>();
  for (const [{ concat }, target] of (Array.isArray(elem) ? elem : []) as [{ concat: unknown[] }, string][]) {
    const [bridge, address] = concat.map(String) as [string, string];
    const targets = bridges.get(bridge) ?? {};
    const leadsTo = targets[address] ?? [];
    if (!leadsTo.includes(target)) leadsTo.push(target);
    bridges.set(bridge, { ...targets, [address]: leadsTo.sort() });
  }
  return bridges;
}
