/**
 * PURE. A job whose pod mounts claims and waits. Programs that read or fill the claims run in it. It never contains a
 * password or login.
 */
import { deploymentLabels } from '../../labels.ts';
import { clusterName, namespaceName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { podHardening, podSecurity } from './hardening.ts';
import { copyKey } from './marks.ts';
import { volumeFolder } from './mounts.ts';

export type CopierMount = { claim: string; path: string; readOnly: boolean };

export type CopierRequest = {
  owner: string;
  deploymentId: string;
  key: string;
  /** The part of the copy that this copier handles. */
  part: string;
  /** An image with GNU tar, and a shell with the usual programs. */
  image: string;
  pullSecret?: string | undefined;
  /** Where its claims are in use. */
  node?: string | undefined;
  mounts: readonly CopierMount[];
};

export const copierContainer = 'copier';

/** The label with the name of the copier's job. */
export const copierKey = 'berth.copier';

/** For files of any user, with their owners and modes. Pod Security's baseline allows no further capabilities. */
const copierCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'];

/** Ends pods whose Berth has ended for good. */
const longestSeconds = 24 * 60 * 60;

export function copierName({ key, part }: Pick<CopierRequest, 'key' | 'part'>): string {
  return clusterName(`copier-${key}-${part}`);
}

export function copierManifest(request: CopierRequest): Manifest {
  const { owner, deploymentId, key, image, pullSecret, node, mounts } = request;
  const name = copierName(request);
  const labels = { ...deploymentLabels(owner, deploymentId), [copyKey]: key };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: namespaceName(deploymentId), labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: longestSeconds,
      template: {
        metadata: { labels: { ...labels, [copierKey]: name } },
        spec: {
          ...podHardening,
          securityContext: podSecurity,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 1,
          ...(node !== undefined && { affinity: onNode(node) }),
          ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
          containers: [
            {
              name: copierContainer,
              image,
              imagePullPolicy: 'IfNotPresent',
              command: ['sleep', String(longestSeconds)],
              // Totals are read by their words.
              env: [{ name: 'LC_ALL', value: 'C' }],
              resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '256Mi' } },
              securityContext: {
                privileged: false,
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                runAsUser: 0,
                runAsGroup: 0,
                capabilities: { drop: ['ALL'], add: copierCapabilities },
              },
              volumeMounts: mounts.map(({ path, readOnly }, index) => ({
                name: `claim-${index}`,
                mountPath: path,
                subPath: volumeFolder,
                readOnly,
              })),
            },
          ],
          volumes: mounts.map(({ claim }, index) => ({
            name: `claim-${index}`,
            persistentVolumeClaim: { claimName: claim },
          })),
        },
      },
    },
  };
}

/** Chosen by the scheduler all the same, which binds claims that wait for it. */
function onNode(node: string) {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } } };
}
