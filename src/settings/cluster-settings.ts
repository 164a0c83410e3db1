/** Settings of a Kubernetes cluster. The kubeconfig, or the pod that the service runs in, selects the cluster. */
import { clusterLabel, networks, type SettingGroup, type Table, text } from './setting-values.ts';

type Classes = { storageClass: string | undefined; snapshotClass: string | undefined };

export type ClusterSettings = Classes & { edgeNetworks: string[]; probeImage: string };

export const clusterTable = {
  edgeNetworks: {
    variable: 'EDGE_NETWORKS',
    default: 'none',
    help: 'on Kubernetes, addresses and networks outside of the cluster from which services and edges connect to pods',
    read: networks,
  },
  classes: {
    variable: 'STORAGE_CLASS',
    default: '',
    help: "on Kubernetes, the StorageClass of volumes; default: the cluster's default class; snapshots=CLASS after it names the VolumeSnapshotClass for copies of volumes in use, or none: pods stop during a copy; default: the class of the volume driver, if it has one",
    isGroup: true,
    read: classes,
  },
  probeImage: {
    variable: 'PROBE_IMAGE',
    default: 'node:26-slim',
    help: 'on Kubernetes, an image with Node.js, and GNU tar for snapshots; its pods check network policies at start, and read and write volumes',
    read: text,
  },
} satisfies Table<{ edgeNetworks: string[]; classes: Classes; probeImage: string }> & {
  classes: SettingGroup<Classes>;
};

/** `fast-ssd snapshots=none`; each is optional. */
function classes(value: string): Classes {
  const [, storage = '', snapshots = ''] = /^(\S*?)(?:(?:^| +)snapshots=(\S+))?$/.exec(value.trim()) ?? [
    undefined,
    value,
  ];
  return { storageClass: clusterLabel(storage), snapshotClass: clusterLabel(snapshots) };
}
