/** PURE. What every pod is made with, whoever deploys it. */
import type { V1PodSpec, V1SecurityContext } from '@kubernetes/client-node';
import { capabilities } from '../../capabilities.ts';

/** Nothing of the cluster is known to it or can be asked by it, and no other pod's address is in its environment. */
export const podHardening = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  hostNetwork: false,
  hostPID: false,
  hostIPC: false,
  // Its first process is the cluster's own: that one reaps orphans, and a program without a handler ends at SIGTERM.
  shareProcessNamespace: true,
} satisfies Partial<V1PodSpec>;

export const podSecurity = { seccompProfile: { type: 'RuntimeDefault' } } satisfies V1PodSpec['securityContext'];

export const containerSecurity = {
  privileged: false,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], add: [...capabilities] },
} satisfies V1SecurityContext;

/** Users other than root may listen on port 80; pods of a cluster may be told so since Kubernetes 1.22. */
export const lowPortsSysctl = { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' };
