/** Settings of a Kubernetes cluster. The kubeconfig, or the pod that the service runs in, selects the cluster. */
import { isIPv4 } from 'node:net';
import { clusterLabel, networks, type Setting, text, Unreadable } from './setting-values.ts';

export type ClusterSettings = {
  edgeNetworks: string[];
  storageClass: string | undefined;
  snapshotClass: string | undefined;
  nodeGate: NodeGate | undefined;
  probeImage: string;
};

/** `name`: host and port that nodes use for the gate. */
type NodeGate = { host: string; port: number; name: string };

export const clusterTable = {
  edgeNetworks: {
    variable: 'EDGE_NETWORKS',
    default: 'none',
    help: 'on Kubernetes, addresses and networks outside of the cluster from which services and edges connect to pods',
    read: networks,
  },
  storageClass: {
    variable: 'STORAGE_CLASS',
    default: '',
    help: "on Kubernetes, the StorageClass of volumes; default: the cluster's default class",
    read: clusterLabel,
  },
  snapshotClass: {
    variable: 'SNAPSHOT_CLASS',
    default: '',
    help: 'on Kubernetes, the VolumeSnapshotClass for copies of volumes in use, or none: pods stop during a copy; default: the class of the volume driver, if it has one',
    read: clusterLabel,
  },
  nodeGate: {
    variable: 'NODE_GATE',
    default: '',
    help: 'on Kubernetes, the address and port where Berth serves images to nodes, and the name that nodes use: "0.0.0.0:5000 as localhost:30500"',
    read: nodeGate,
  },
  probeImage: {
    variable: 'PROBE_IMAGE',
    default: 'node:26-slim',
    help: 'on Kubernetes, an image with Node.js, and GNU tar for snapshots; its pods check network policies at start, and read and write volumes',
    read: text,
  },
} satisfies { [K in keyof ClusterSettings]: Setting<ClusterSettings[K]> };

function nodeGate(value: string): NodeGate {
  const [, host, port = '', name] = /^([\d.]+):(\d{1,5})(?: as ([a-z0-9.-]+(?::\d{1,5})?))?$/.exec(value) ?? [];
  if (isIPv4(host ?? '') && Number(port) >= 1 && Number(port) <= 65_535)
    return { host: host!, port: Number(port), name: name ?? `${host}:${port}` };
  throw new Unreadable(
    'must be an IPv4 address and a port, and the name that nodes use, such as "0.0.0.0:5000 as localhost:30500"',
  );
}
