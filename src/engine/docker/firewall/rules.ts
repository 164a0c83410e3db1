/**
 * PURE. The firewall rules as text for `nft`: one table per installation, for IPv4 and IPv6.
 *
 * A table of nftables has chains of its own at the kernel's hooks. What one chain accepts goes on to the others'; what
 * one drops is gone. So the engine's rules and the operator's stay as they are, none of them can open what is closed
 * here, `iptables -F` does not touch it, and replacing the table is one transaction.
 *
 * The rules go by the name of the interface: whatever leaves a bridge of this installation has to pass them, and a
 * bridge that nobody has told about reaches its own network and nothing else.
 */
import { createHash } from 'node:crypto';
import { type Egress, type EgressTarget, printEgress } from '../../../deployment/workload/egress.ts';
import { reservedIPv4, reservedIPv6 } from '../../../lib/reserved-addresses.ts';
import { bridgePrefix, everyBridgePrefix } from '../names.ts';
import { mailPorts } from './reserved.ts';

export type RuleSettings = {
  owner: string;
  /** Where visitors reach the edge; `address` absent: at every address of this machine. */
  edge?: { address?: string; port: number };
  /** IPv4 addresses that the engine asks about names, from inside the containers' networks. */
  resolvers: string[];
  /** The one of them that answers questions to anybody else; absent: who answers those is for the egress to say. */
  answersAll?: string | undefined;
};

/** By the name of the bridge. */
export type Bridges = ReadonlyMap<string, Egress>;

/**
 * New connections of one deployment to the outside. Each may take a place in the kernel's table of connections for two
 * minutes, and that has 262,144 places for the whole machine: at this pace one deployment holds a twentieth of them.
 */
const pace = 'rate over 100/second burst 1000 packets';

export function tableName(owner: string): string {
  return `berth_${owner.replaceAll(/[^A-Za-z0-9]/g, '_')}`;
}

/** Replaces the table, or makes it. */
export function tableText(settings: RuleSettings, bridges: Bridges): string {
  const ours = `"${bridgePrefix(settings.owner)}*"`;
  const policies = new Map([...bridges.values()].map((egress) => [policyChain(egress), egress]));
  return `${removalText(settings.owner)}
table inet ${tableName(settings.owner)} {
  map egress {
    type ifname : verdict${elements([...bridges].map(([bridge, egress]) => element(bridge, egress)))}
  }
  set resolvers {
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
${answerAllText(settings, ours)}  chain forward {
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
    fib daddr . iif oif exists accept
    oifname "${everyBridgePrefix}*" goto refuse
    update @paced { iifname limit ${pace} } drop
    iifname vmap @egress
    goto refuse
  }
  # Nobody but this machine itself opens a connection to a container.
  chain arriving {
    ct state established,related accept
    goto refuse
  }
  chain to_host {
    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    update @paced { iifname limit ${pace} } drop
    ip daddr @resolvers ${dns} iifname vmap @egress${edgeRule(settings.edge)}
    goto refuse
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }
${[...policies].map(([name, egress]) => policyText(name, egress)).join('\n')}
}
`;
}

/** Removes the table; no error when there is none. */
export function removalText(owner: string): string {
  const table = `inet ${tableName(owner)}`;
  return `add table ${table}\ndelete table ${table}`;
}

/** The bridge has this policy from now on; its chain has to be in the table. */
export function admissionText(owner: string, bridge: string, egress: Egress, before: Egress | undefined): string {
  const map = `element inet ${tableName(owner)} egress`;
  const removal = before ? `delete ${map} { "${bridge}" }\n` : '';
  return `${removal}add ${map} { ${element(bridge, egress)} }`;
}

export function dismissalText(owner: string, bridge: string): string {
  return `delete element inet ${tableName(owner)} egress { "${bridge}" }`;
}

/** The chain that decides what `egress` lets out. */
export function policyChain(egress: Egress): string {
  if (egress.kind !== 'only') return `egress_${egress.kind}`;
  return `egress_${createHash('sha256').update(printEgress(egress)).digest('hex').slice(0, 12)}`;
}

/**
 * Containers keep the resolvers with which they were made, and their programs may know others. Between pods of one
 * deployment questions are left alone.
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

/** What `to_host` sends here is addressed to this machine, and is the edge or a resolver. */
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

function targetRule({ family, cidr, port }: EgressTarget): string {
  const ports = port === undefined ? '' : ` meta l4proto { tcp, udp } th dport ${port}`;
  return `${family === 4 ? 'ip' : 'ip6'} daddr ${cidr}${ports} accept`;
}

function edgeRule(edge: RuleSettings['edge']): string {
  if (!edge) return '';
  const { address, port } = edge;
  const daddr = address === undefined ? '' : `${address.includes(':') ? 'ip6' : 'ip'} daddr ${address} `;
  return `\n    ${daddr}tcp dport ${port} iifname vmap @egress`;
}

function element(bridge: string, egress: Egress): string {
  return `"${bridge}" : goto ${policyChain(egress)}`;
}

/** nft refuses an empty list. */
function elements(texts: string[]): string {
  return texts.length === 0 ? '' : `\n    elements = { ${texts.join(', ')} }`;
}
