/** An AppSpec as Kubernetes manifests: a workload and a Service for each pod, its files, secrets and claims, an Ingress. Pure. */
import { Document } from 'yaml';
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import { type Export, volumeName, written } from './compose-file.ts';
import { bytes, type Parts, podTemplate, protocol } from './kubernetes-pod.ts';
import { isSecret, placeholder, type Texts, write } from './kubernetes-texts.ts';
import { secretsOf } from './secret-values.ts';

export type KubernetesOptions = {
  withSecrets: boolean;
  /** Where the application is reached. */
  host: string;
};

const claimKind = 'PersistentVolumeClaim';

type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: object };
  [field: string]: unknown;
};

/** `claims` and `others`: the same in two parts, so that volumes can be filled before the pods start. */
export type KubernetesExport = Export & { claims: string; others: string };

export function exportKubernetes(spec: AppSpec, { withSecrets, host }: KubernetesOptions): KubernetesExport {
  const secrets = secretsOf(spec);
  const texts: Texts = {
    host,
    secrets,
    withSecrets,
    names: new Set(spec.pods.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
  };
  const manifests = [
    ...spec.pods.flatMap((pod) => manifestsOf(pod, spec, texts)),
    ...sharedClaims(spec),
    ...ingress(spec, host),
  ];
  const text = printManifests(manifests);
  const [claims, others] = split(manifests, ({ kind }) => kind === claimKind);
  const parts = { claims: printManifests(claims), others: printManifests(others) };
  return { text, notes: notesOf(spec, text), ...parts };
}

export function printManifests(manifests: readonly object[]): string {
  return manifests.map((manifest) => new Document(manifest).toString({ lineWidth: 0 })).join('---\n');
}

function manifestsOf(pod: PodSpec, spec: AppSpec, texts: Texts): Manifest[] {
  const plain = pod.files.map((file, at) => ({ ...file, key: `file-${at + 1}` }));
  const [hidden, open] = split(plain, (file) => file.isSecret || isSecret(file.content, texts));
  const [secretVars] = split(Object.entries(pod.vars), ([, value]) => isSecret(value, texts));
  const content = (file: { isSecret: boolean; content: string }) =>
    file.isSecret && !texts.withSecrets ? placeholder : write(file.content, texts);
  const secretData = {
    ...Object.fromEntries(secretVars.map(([name, value]) => [name, write(value, texts)])),
    ...Object.fromEntries(hidden.map((file) => [file.key, content(file)])),
  };
  const openData = Object.fromEntries(open.map((file) => [file.key, content(file)]));
  return [
    ...(isEmpty(openData) ? [] : [{ ...head('v1', 'ConfigMap', `${pod.name}-files`, pod, spec), data: openData }]),
    ...(isEmpty(secretData)
      ? []
      : [{ ...head('v1', 'Secret', `${pod.name}-secrets`, pod, spec), stringData: secretData }]),
    ...pod.volumes
      .filter(({ isShared }) => !isShared)
      .map((volume) => claim(volumeName(pod, volume), volume.sizeBytes, 'ReadWriteOnce', labelsOf(pod, spec))),
    ...services(pod, spec),
    workload(pod, spec, { texts, hidden, open, secretVars: new Set(secretVars.map(([name]) => name)) }),
  ];
}

const kinds = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet', job: 'Job' } as const;

function workload(pod: PodSpec, spec: AppSpec, parts: Parts): Manifest {
  const kind = kinds[pod.resourceType];
  const labels = labelsOf(pod, spec);
  const template = { metadata: { labels }, spec: podTemplate(pod, spec, parts) };
  const isScaled = kind === 'Deployment' || kind === 'StatefulSet';
  // The volume of a pod cannot be mounted by a second pod at the same time.
  const replaces = kind === 'Deployment' && pod.volumes.length > 0;
  return {
    ...head(kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, pod.name, pod, spec),
    spec: written({
      replicas: isScaled ? pod.replicas : undefined,
      selector: kind === 'Job' ? undefined : { matchLabels: labels },
      serviceName: kind === 'StatefulSet' ? pod.name : undefined,
      strategy: replaces ? { type: 'Recreate' } : undefined,
      template,
    }),
  };
}

/** Returns one Service for each name of the pod. */
function services(pod: PodSpec, spec: AppSpec): Manifest[] {
  if (pod.servicePorts.length === 0) return [];
  const names = [pod.name, ...(pod.aliases ?? [])].filter((name) => /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
  const ports = pod.servicePorts.map((port) => ({ name: `port-${port}`, port, protocol }));
  return names.map((name) => ({
    ...head('v1', 'Service', name, pod, spec),
    spec: { selector: labelsOf(pod, spec), ports },
  }));
}

function sharedClaims({ pods, name }: AppSpec): Manifest[] {
  const shared = new Map(
    pods.flatMap(({ volumes }) => volumes.filter(({ isShared }) => isShared).map((volume) => [volume.name, volume])),
  );
  const labels = { 'app.kubernetes.io/part-of': name };
  return [...shared.values()].map(({ name, sizeBytes }) => claim(name, sizeBytes, 'ReadWriteMany', labels));
}

function claim(name: string, storage: number, mode: string, labels: object): Manifest {
  const spec = { accessModes: [mode], resources: { requests: { storage: bytes(storage) } } };
  return { apiVersion: 'v1', kind: claimKind, metadata: { name, labels }, spec };
}

function ingress({ name, url, pods }: AppSpec, host: string): Manifest[] {
  const paths = pods.flatMap(({ name, path, servicePorts: [port] }) =>
    path === undefined || port === undefined
      ? []
      : [{ path, pathType: 'Prefix', backend: { service: { name, port: { number: port } } } }],
  );
  if (paths.length === 0) return [];
  const metadata = { name, labels: { 'app.kubernetes.io/part-of': name } };
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { rules: [{ host: url ?? host, http: { paths } }] },
    },
  ];
}

function head(apiVersion: string, kind: string, name: string, pod: PodSpec, spec: AppSpec): Manifest {
  return { apiVersion, kind, metadata: { name, labels: labelsOf(pod, spec) } };
}

function labelsOf({ name }: PodSpec, { name: application }: AppSpec) {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': application };
}

function notesOf({ registryLogin, pods }: AppSpec, text: string): string[] {
  const notes: string[] = [];
  if (text.includes(placeholder)) notes.push(`Put values in the place of ${placeholder}.`);
  if (registryLogin)
    notes.push('Make the Secret registry-login: kubectl create secret docker-registry registry-login …');
  const named = pods.filter(({ user }) => user !== undefined && !/^\d+(:\d+)?$/.test(user));
  if (named.length > 0) notes.push(`A user by name is left out: ${named.map(({ name }) => name).join(', ')}.`);
  for (const option of ['stripPrefix', 'sticky'] as const) {
    const set = pods.filter((pod) => pod[option]).map(({ name }) => name);
    if (set.length > 0) {
      notes.push(`${option} is left out: set it for ${set.join(', ')} with an annotation of your Ingress controller.`);
    }
  }
  if (pods.some(({ dependsOn }) => dependsOn.length > 0)) {
    notes.push('Kubernetes starts all pods at once: dependsOn is left out, and programs have to try again.');
  }
  return notes;
}

function split<T>(list: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter((value) => !isFirst(value))];
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}
