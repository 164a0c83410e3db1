/**
 * PURE. The network policy of a deployment's namespace: the addresses that its pods reach, and the clients that reach
 * them.
 */
import { createHash } from 'node:crypto';
import type { V1NetworkPolicyEgressRule, V1NetworkPolicyPeer, V1NetworkPolicyPort } from '@kubernetes/client-node';
import stringify from 'safe-stable-stringify';
import { type Egress, printEgress } from '../../../deployment/workload/egress.ts';
import { mailPorts, reservedIPv4, reservedIPv6 } from '../../../lib/reserved-addresses.ts';
import { deploymentLabels } from '../../labels.ts';
import { namespaceName } from '../names.ts';
import type { FoundPolicy, Manifest, PolicySpec } from '../objects.ts';
import { rulesKey } from './marks.ts';

export const policyName = 'berth';

/** Namespaces with this label contain the service and its edge, if those run on the cluster. */
const edgeNamespaceLabel = 'berth.edge';

export type PolicySettings = {
  /** Networks from which the service and the edge reach pods, if those run outside of the cluster. */
  edgeNetworks: readonly string[];
  /** Ranges of ports can be named in a policy: since Kubernetes 1.22. Without them, mail cannot be left out. */
  hasPortRanges: boolean;
  /**
   * The version of the cluster's store when these settings were read: a number that grows with each write. A policy of
   * later settings is not changed. The clocks of processes differ.
   */
  storeVersion: number;
};

/** The only policy of a namespace. It denies everything that it does not list. */
export function networkPolicy(owner: string, deploymentId: string, egress: Egress, settings: PolicySettings): Manifest {
  const spec = policySpec(egress, settings);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: policyName,
      namespace: namespaceName(deploymentId),
      labels: deploymentLabels(owner, deploymentId),
      annotations: { [rulesKey]: `${markVersion} ${settings.storeVersion} ${hashOf(spec, egress)}` },
    },
    spec,
  };
}

/**
 * Returns whether an existing policy matches. If two processes have different settings, such as during an upgrade, the
 * later one decides, because otherwise each would undo the other's policy forever. Manual edits do not count, and
 * neither do policies from the future of this store, which exist after a restore from a backup.
 */
export function isPolicyFor(egress: Egress, settings: PolicySettings, { metadata, spec }: FoundPolicy): boolean {
  const [wanted, found] = [hashOf(policySpec(egress, settings), egress), hashOf(spec, egress)];
  if (found === wanted) return true;
  const [version, storeVersion, decided] = (metadata.annotations?.[rulesKey] ?? '').split(' ');
  const at = Number(storeVersion);
  if (version !== markVersion || decided !== found || at > Number(metadata.resourceVersion)) return false;
  return at > settings.storeVersion || (at === settings.storeVersion && found > wanted);
}

/** Marks without one have the time of a process. */
const markVersion = 'v2';

function policySpec(egress: Egress, settings: PolicySettings): PolicySpec {
  const ownPods: V1NetworkPolicyPeer = { podSelector: {} };
  return {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [ownPods, ...edges(settings)] }],
    egress: [{ to: [ownPods] }, ...egressRules(egress, settings)],
  };
}

/** Servers may reorder fields, and may leave out the selector of all pods. No other default is left to them. */
function hashOf(spec: Partial<PolicySpec> | undefined, egress: Egress): string {
  const said = stringify([{ podSelector: {}, ...spec }, printEgress(egress)]);
  return createHash('sha256').update(said).digest('hex').slice(0, 32);
}

function edges({ edgeNetworks }: PolicySettings): V1NetworkPolicyPeer[] {
  if (edgeNetworks.length === 0) return [{ namespaceSelector: { matchLabels: { [edgeNamespaceLabel]: 'true' } } }];
  return edgeNetworks.map((cidr) => ({ ipBlock: { cidr } }));
}

function egressRules(egress: Egress, { hasPortRanges }: PolicySettings): V1NetworkPolicyEgressRule[] {
  switch (egress.kind) {
    case 'none':
      return [];
    case 'open': {
      const to = [
        { ipBlock: { cidr: '0.0.0.0/0', except: reservedIPv4 } },
        { ipBlock: { cidr: '::/0', except: reservedIPv6 } },
      ];
      return [clusterDns, hasPortRanges ? { to, ports: allButMail() } : { to }];
    }
    case 'only':
      return [
        clusterDns,
        ...egress.to.map(({ cidr, port }) => ({
          to: [{ ipBlock: { cidr } }],
          ...(port !== undefined && { ports: bothProtocols({ port }) }),
        })),
      ];
  }
}

/** Matches the cluster's DNS by the labels that every distribution gives it. */
const clusterDns: V1NetworkPolicyEgressRule = {
  to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
  ports: bothProtocols({ port: 53 }),
};

/** A policy lists what it allows: the ranges of ports between those. */
function allButMail(): V1NetworkPolicyPort[] {
  const borders = [0, ...mailPorts, 65_536];
  const ranges = borders.slice(1).map((end, index) => ({ port: borders[index]! + 1, endPort: end - 1 }));
  return [...ranges.map((range) => ({ protocol: 'TCP', ...range })), { protocol: 'UDP', port: 1, endPort: 65_535 }];
}

function bothProtocols(port: Omit<V1NetworkPolicyPort, 'protocol'>): V1NetworkPolicyPort[] {
  return ['TCP', 'UDP'].map((protocol) => ({ protocol, ...port }));
}
