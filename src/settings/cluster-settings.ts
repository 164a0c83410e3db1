/** The settings about a cluster of Kubernetes; which one it is says the kubeconfig, or the pod that the service runs in. */
import { isIPv4 } from 'node:net';
import { clusterLabel, networks, type Setting, text, Unreadable } from './setting-values.ts';

export type ClusterSettings = {
  edgeNetworks: string[];
  storageClass: string | undefined;
  snapshotClass: string | undefined;
  nodeGate: NodeGate | undefined;
  probeImage: string;
};

/** `name`: host and port by which nodes know it. */
type NodeGate = { host: string; port: number; name: string };

export const clusterTable = {
  edgeNetworks: {
    variable: 'EDGE_NETWORKS',
    default: 'none',
    help: 'on Kubernetes, where services and edges outside of the cluster reach pods from: addresses and networks',
    read: networks,
  },
  storageClass: {
    variable: 'STORAGE_CLASS',
    default: '',
    help: "on Kubernetes, the class of volumes; default: the cluster's default one",
    read: clusterLabel,
  },
  snapshotClass: {
    variable: 'SNAPSHOT_CLASS',
    default: '',
    help: 'on Kubernetes, the VolumeSnapshotClass by which volumes are copied while pods write to them, or none: pods are stopped meanwhile; default: the one of the driver of the volumes, if there is one',
    read: clusterLabel,
  },
  nodeGate: {
    variable: 'NODE_GATE',
    default: '',
    help: 'on Kubernetes, where nodes pull images from Berth: an address and port to listen at, and by which name nodes reach it: "0.0.0.0:5000 as localhost:30500"',
    read: nodeGate,
  },
  probeImage: {
    variable: 'PROBE_IMAGE',
    default: 'node:26-slim',
    help: 'on Kubernetes, an image with node, and for snapshots GNU tar: the service tries from inside a pod of it, as it starts, whether the cluster keeps its policies, and reads and fills volumes',
    read: text,
  },
} satisfies { [K in keyof ClusterSettings]: Setting<ClusterSettings[K]> };

function nodeGate(value: string): NodeGate {
  const [, host, port = '', name] = /^([\d.]+):(\d{1,5})(?: as ([a-z0-9.-]+(?::\d{1,5})?))?$/.exec(value) ?? [];
  if (isIPv4(host ?? '') && Number(port) >= 1 && Number(port) <= 65_535)
    return { host: host!, port: Number(port), name: name ?? `${host}:${port}` };
  throw new Unreadable(
    'must be an IPv4 address and a port, and the name that nodes have for them, such as "0.0.0.0:5000 as localhost:30500"',
  );
}
