/** The guestbook as hand-written manifests, applied with kubectl. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AppSpec, PodSpec } from '../src/config/spec/spec.ts';

const waitPatience = '120s';

/** Namespace, Services, files, claims and Deployments, with the checks that a page and an API need to be called ready. */
export function handWritten(spec: AppSpec, namespace: string, storageClass: string): object[] {
  const metadata = (name: string) => ({ name, namespace });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...spec.pods.flatMap((pod) => [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: metadata(pod.name),
        spec: { selector: { app: pod.name }, ports: pod.servicePorts.map((port) => ({ port })) },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata(pod.name),
        data: Object.fromEntries(pod.files.map(({ content }, index) => [String(index), content])),
      },
      ...pod.volumes.map(({ name, sizeBytes }) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: metadata(name),
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: storageClass,
          resources: { requests: { storage: String(sizeBytes) } },
        },
      })),
      deploymentOf(pod, metadata(pod.name)),
    ]),
  ];
}

function deploymentOf(pod: PodSpec, metadata: object): object {
  const { name, image, command, vars, files, volumes, servicePorts, healthCheck } = pod;
  const [port] = servicePorts;
  const path = healthCheck && 'path' in healthCheck ? healthCheck.path : pod.path;
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          // The end of one round is not to take longer than the rounds.
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name,
              image,
              imagePullPolicy: 'IfNotPresent',
              ...(command && { args: command }),
              // The cluster's own DNS knows no `db.pod`.
              env: Object.entries(vars).map(([key, value]) => ({ name: key, value: value.replaceAll('.pod:', ':') })),
              ports: servicePorts.map((containerPort) => ({ containerPort })),
              readinessProbe: {
                ...(path === undefined ? { tcpSocket: { port } } : { httpGet: { path, port } }),
                // The least that there is.
                periodSeconds: 1,
                failureThreshold: 120,
              },
              volumeMounts: [
                ...files.map(({ path }, index) => ({ name: 'files', mountPath: path, subPath: String(index) })),
                ...volumes.map(({ name, mountPath }) => ({ name, mountPath })),
              ],
            },
          ],
          volumes: [
            { name: 'files', configMap: { name } },
            ...volumes.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name } })),
          ],
        },
      },
    },
  };
}

/** Resolves when all Deployments are available. */
export async function applyAndWait(objects: readonly object[], namespace: string, signal: AbortSignal): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await kubectl(['apply', '--filename=-'], signal, JSON.stringify(list));
  const wanted = ['--for=condition=Available', 'deployment', '--all', `--timeout=${waitPatience}`];
  await kubectl(['--namespace', namespace, 'wait', ...wanted], signal);
}

/** Resolves when none of its pods run. The cluster removes the rest later. */
export async function removeNamespace(namespace: string): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  await kubectl(['--namespace', namespace, 'delete', 'deployment', '--all', '--cascade=foreground'], signal);
  await kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false'], signal);
}

async function kubectl(words: string[], signal: AbortSignal, input = ''): Promise<void> {
  const child = spawn('kubectl', words, { stdio: ['pipe', 'ignore', 'pipe'], signal });
  child.stdin.end(input);
  const said = text(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`kubectl ${words.join(' ')}: ${await said}`);
}
