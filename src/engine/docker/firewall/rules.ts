/**
 * PURE. The firewall rules as text for `nft`: one table per installation, for IPv4 and IPv6.
 *
 * An nftables table has its own chains at the kernel's hooks. Packets that one chain accepts go on to the chains of
 * other tables; dropped packets are gone. So the rules of the engine and the operator stay as they are, none of them
 * can open what is closed here, `iptables -F` does not affect the table, and replacing the table is one transaction.
 *
 * The rules match the name of the interface. Everything that leaves a bridge of this installation must pass them, and
 * an unknown bridge reaches only its own network.
 */
import { createHash } from 'node:crypto';
import { type Egress, type EgressTarget, printEgress } from '../../../deployment/workload/egress.ts';
import { mailPorts, reservedIPv4, reservedIPv6 } from '../../../lib/reserved-addresses.ts';
import { bridgePrefix, everyBridgePrefix } from '../names.ts';
import { fromBuilder } from '../networks/subnets.ts';
import { type BridgeTargets, crowdRule, translationText } from './pod-translation.ts';

export type RuleSettings = {
  owner: string;
  edges?: readonly EdgePlace[];
  /** IPv4 addresses of the name servers that the engine queries from inside the containers' networks. */
  resolvers: string[];
  /** The resolver that may answer all containers. Absent: the egress decides which resolvers a deployment reaches. */
  answersAll?: string | undefined;
  /** An HTTP proxy that builders reach, with any egress. */
  buildProxy?: BuildProxy | undefined;
};

/** `address`: IPv4. */
export type BuildProxy = { address: string; port: number };

/** Where visitors reach an edge. Without `address`: at every address of this machine. */
export type EdgePlace = {
  address?: string;
  port: number;
  /** The service of the installation that owns the entry: letters and digits. */
  of: string;
  /** The seconds until it counts as stopped. Default: `edgeSeconds`. */
  leftSeconds?: number;
};

/** A service that has been stopped for this long is not expected back, and another program may use its port. */
export const edgeSeconds = 7 * 24 * 60 * 60;

/** The egress of a bridge's containers, and the number of the decision. The later decision applies. */
export type Admission = { egress: Egress; turn: number };

/** Admissions by the name of the bridge. */
export type Bridges = ReadonlyMap<string, Admission>;

/**
 * Limits new connections of one deployment to external addresses. Each may occupy the kernel's connection table for two
 * minutes, and the table has 262,144 entries for the whole machine. At this rate, one deployment uses a twentieth of
 * them.
 */
const pace = 'rate over 100/second burst 1000 packets';

export function tableName(owner: string): string {
  return `berth_${owner.replaceAll(/[^A-Za-z0-9]/g, '_')}`;
}

/** Replaces the table, or makes it. */
export function tableText(settings: RuleSettings, bridges: Bridges, targets: BridgeTargets = new Map()): string {
  const ours = `"${bridgePrefix(settings.owner)}*"`;
  const policies = new Map([...bridges.values()].map(({ egress }) => [policyChain(egress), egress]));
  const { buildProxy } = settings;
  const toProxy = buildProxy
    ? `    ${fromBuilder} ip daddr ${buildProxy.address} tcp dport ${buildProxy.port} accept\n`
    : '';
  return `${removalText(settings.owner)}
table inet ${tableName(settings.owner)} {
  map egress {
    type ifname : verdict${elements([...bridges].map(([bridge, admission]) => element(bridge, admission)))}
  }
${edgeSets.map((set) => edgeSetText(set, settings.edges ?? [])).join('')}  set resolvers {
    type ipv4_addr${elements(settings.resolvers)}
  }
  set reserved4 {
    type ipv4_addr
    flags interval${elements(reservedIPv4)}
  }
  set reserved6 {
    type ipv6_addr
    flags interval${elements(reservedIPv6)}
  }
  set paced {
    type ifname
    size 65535
    flags dynamic,timeout
    timeout 10m
  }

  # Between pods of one deployment no place in the table of connections is taken.
  chain prerouting {
    type filter hook prerouting priority raw; policy accept;
    iifname ${ours} fib daddr . iif oif exists notrack
  }
${translationText(ours, targets)}${answerAllText(settings, ours)}  chain forward {
    type filter hook forward priority filter - 10; policy accept;
    iifname ${ours} goto leaving
    oifname ${ours} goto arriving
  }
  chain input {
    type filter hook input priority filter - 10; policy accept;
    iifname ${ours} goto to_host
  }

  chain leaving {
    ct state established,related accept
    ${crowdRule}
    fib daddr . iif oif exists accept
    oifname "${everyBridgePrefix}*" goto refuse
    update @paced { iifname limit ${pace} } drop
${toProxy}    iifname vmap @egress
    goto refuse
  }
  # Only this machine opens connections to a container.
  chain arriving {
    ct state established,related accept
    goto refuse
  }
  chain to_host {
    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    update @paced { iifname limit ${pace} } drop
${toProxy}    ip daddr @resolvers ${dns} iifname vmap @egress
${edgeSets.map(({ name, match }) => `    ${match} @${name} iifname vmap @egress\n`).join('')}    goto refuse
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }
${[...policies].map(([name, egress]) => policyText(name, egress)).join('\n')}
}
`;
}

/** Removes the table if it exists. */
export function removalText(owner: string): string {
  const table = `inet ${tableName(owner)}`;
  return `add table ${table}\ndelete table ${table}`;
}

/**
 * Returns the text that sets the policy of a bridge. The policy's chain must exist. `isThere`: the bridge already has a
 * policy.
 */
export function admissionText(owner: string, bridge: string, admission: Admission, isThere: boolean): string {
  const map = `element inet ${tableName(owner)} egress`;
  const removal = isThere ? `delete ${map} { "${bridge}" }\n` : '';
  return `${removal}add ${map} { ${element(bridge, admission)} }`;
}

/**
 * Returns the text that keeps the edge for `edgeSeconds`. Kernels before 6.13 do not change the timeout of an existing
 * element.
 */
export function edgeText(owner: string, edge: EdgePlace): string {
  const { name } = edgeSets.find(({ has }) => has(edge))!;
  const set = `element inet ${tableName(owner)} ${name}`;
  return [`add ${set}`, `delete ${set}`, `add ${set}`].map((words) => `${words} { ${edgeElement(edge)} }`).join('\n');
}

export function dismissalText(owner: string, bridge: string): string {
  return `delete element inet ${tableName(owner)} egress { "${bridge}" }`;
}

/** Returns the name of the chain with the rules of `egress`. */
export function policyChain(egress: Egress): string {
  if (egress.kind !== 'only') return `egress_${egress.kind}`;
  return `egress_${createHash('sha256').update(printEgress(egress)).digest('hex').slice(0, 12)}`;
}

/**
 * Containers keep the resolvers of their creation, and their programs may use others. Queries between pods of a
 * deployment are not changed.
 */
function answerAllText({ answersAll }: RuleSettings, ours: string): string {
  if (answersAll === undefined) return '';
  return `  chain questions {
    type nat hook prerouting priority dstnat - 10; policy accept;
    iifname ${ours} ip daddr != @resolvers ${dns} fib daddr . iif oif missing dnat ip to ${answersAll}
  }
`;
}

const dns = 'meta l4proto { tcp, udp } th dport 53';

/** Traffic from `to_host` is addressed to this machine: to the edge or a resolver. */
function policyText(name: string, egress: Egress): string {
  const rules =
    egress.kind === 'none'
      ? ['goto refuse']
      : ['fib daddr type local accept', `ip daddr @resolvers ${dns} accept`, ...outside(egress)];
  return `  chain ${name} {\n${rules.map((rule) => `    ${rule}`).join('\n')}\n  }`;
}

function outside(egress: Exclude<Egress, { kind: 'none' }>): string[] {
  if (egress.kind === 'only') return [...egress.to.map(targetRule), 'goto refuse'];
  return [
    `tcp dport { ${mailPorts.join(', ')} } goto refuse`,
    'ip daddr @reserved4 goto refuse',
    'ip6 daddr @reserved6 goto refuse',
    'accept',
  ];
}

/** The rule also contains the text of the egress list, for processes that must know it as it was written. */
function targetRule(target: EgressTarget): string {
  const { family, cidr, port } = target;
  const ports = port === undefined ? '' : ` meta l4proto { tcp, udp } th dport ${port}`;
  const text = printEgress({ kind: 'only', to: [target] });
  return `${family === 4 ? 'ip' : 'ip6'} daddr ${cidr}${ports} accept comment "${text}"`;
}

type EdgeSet = { name: string; type: string; match: string; has(edge: EdgePlace): boolean };

const isIPv6 = (address: string) => address.includes(':');

/** Each process of the installation adds its own edge to these sets and does not change those of others. */
export const edgeSets: readonly EdgeSet[] = [
  {
    name: 'edges4',
    type: 'ipv4_addr . inet_service',
    match: 'ip daddr . tcp dport',
    has: ({ address }) => address !== undefined && !isIPv6(address),
  },
  {
    name: 'edges6',
    type: 'ipv6_addr . inet_service',
    match: 'ip6 daddr . tcp dport',
    has: ({ address }) => address !== undefined && isIPv6(address),
  },
  { name: 'edges', type: 'inet_service', match: 'tcp dport', has: ({ address }) => address === undefined },
];

function edgeSetText({ name, type, has }: EdgeSet, edges: readonly EdgePlace[]): string {
  return `  set ${name} {
    type ${type}
    flags timeout${elements(edges.filter(has).map(edgeElement))}
  }
`;
}

function edgeElement({ address, port, of, leftSeconds = edgeSeconds }: EdgePlace): string {
  const place = address === undefined ? `${port}` : `${address} . ${port}`;
  return `${place} timeout ${edgeSeconds}s expires ${leftSeconds}s comment "${of}"`;
}

function element(bridge: string, { egress, turn }: Admission): string {
  return `"${bridge}" comment "${turn}" : goto ${policyChain(egress)}`;
}

/** nft refuses an empty list. */
function elements(texts: string[]): string {
  return texts.length === 0 ? '' : `\n    elements = { ${texts.join(', ')} }`;
}
