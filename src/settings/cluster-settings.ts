/** The settings about a cluster of Kubernetes; which one it is says the kubeconfig, or the pod that the service runs in. */
import { clusterLabel, networks, type Setting } from './setting-values.ts';

export type ClusterSettings = {
  edgeNetworks: string[];
  storageClass: string | undefined;
};

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
} satisfies { [K in keyof ClusterSettings]: Setting<ClusterSettings[K]> };
