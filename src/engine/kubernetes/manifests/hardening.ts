/** PURE. The hardening of every pod, for all users. */
import type { V1PodSpec, V1SecurityContext } from '@kubernetes/client-node';
import { builderCapabilities, capabilities } from '../../capabilities.ts';

/** The pod has no access to the cluster's API, and no addresses of other pods in its environment. */
export const podHardening = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  hostNetwork: false,
  hostPID: false,
  hostIPC: false,
  // The first process is the cluster's own. It reaps orphans, and a program without a handler ends at SIGTERM.
  shareProcessNamespace: true,
} satisfies Partial<V1PodSpec>;

export const podSecurity = { seccompProfile: { type: 'RuntimeDefault' } } satisfies V1PodSpec['securityContext'];

export const containerSecurity = {
  privileged: false,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], add: [...capabilities] },
} satisfies V1SecurityContext;

/** A file that the operator puts on nodes, below the kubelet's folder for seccomp profiles. */
const builderProfile = 'berth/builder.json';

/** The container of an image build, which may create user namespaces. */
export const builderSecurity = {
  ...containerSecurity,
  capabilities: { drop: ['ALL'], add: builderCapabilities },
  seccompProfile: { type: 'Localhost', localhostProfile: builderProfile },
} satisfies V1SecurityContext;

/** Lets users other than root listen on port 80. Pods may set this since Kubernetes 1.22. */
export const lowPortsSysctl = { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' };
