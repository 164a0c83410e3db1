/** PURE. Converts Kubernetes manifests to the native form, and lists the parts that have no place there. */
import { toSlug } from '../diagnostics/suggest.ts';
import { databaseOf } from '../software/software.ts';
import { printSpec } from '../spec/print-spec.ts';
import type { PodSpec } from '../spec/spec.ts';
import { type Cluster, clusterOf } from './cluster.ts';
import { containerPod } from './container-pod.ts';
import { type Fields, fieldsOf, listOf, type Manifest, numberOf, textOf } from './manifests.ts';

export type Converted = { text: string; pods: number; missing: string[] };

const resourceTypes: Record<string, PodSpec['resourceType']> = {
  Deployment: 'deployment',
  ReplicaSet: 'deployment',
  Pod: 'deployment',
  StatefulSet: 'statefulset',
  DaemonSet: 'daemonset',
  Job: 'job',
  CronJob: 'job',
};
/** Kinds that are read when a workload refers to them, or that have no meaning outside a cluster. */
const others = new Set([
  'Service',
  'Ingress',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'Namespace',
  'ServiceAccount',
]);

type Workload = { labels: Fields; pod: PodSpec };

/** Undefined if the manifests have no container to run. */
export function convertManifests(manifests: readonly Manifest[]): Converted | undefined {
  const missing = new Set<string>();
  const cluster = clusterOf(manifests, (what) => missing.add(what));
  const workloads = manifests.flatMap((manifest) => workloadsOf(manifest, cluster));
  if (workloads.length === 0) return undefined;
  const services = manifests.filter(({ kind }) => kind === 'Service');
  for (const service of services) applyService(service, workloads, cluster);
  routeIngresses(manifests, services, workloads, cluster);
  const pods = workloads.map(({ pod }) => pod);
  shareVolumes(pods);
  if (pods.every(({ path }) => path === undefined)) routeFirst(pods, services, workloads);
  for (const { kind, name } of manifests)
    if (!Object.hasOwn(resourceTypes, kind) && !others.has(kind)) missing.add(`${kind} ${name}`);
  return { text: printSpec({ name: nameOf(manifests), pods }), pods: pods.length, missing: [...missing] };
}

function nameOf(manifests: readonly Manifest[]): string {
  const [first] = manifests.filter(({ kind }) => Object.hasOwn(resourceTypes, kind));
  const namespace = first?.namespace === 'default' ? undefined : first?.namespace;
  const name = textOf(first?.labels['app.kubernetes.io/part-of']) ?? namespace ?? first?.name ?? '';
  const slug = toSlug(name) ?? 'application';
  return slug.length < 3 ? `${slug}-app` : slug;
}

function workloadsOf({ kind, name, body }: Manifest, cluster: Cluster): Workload[] {
  const resourceType = Object.hasOwn(resourceTypes, kind) ? resourceTypes[kind] : undefined;
  if (resourceType === undefined) return [];
  const outer = fieldsOf(body.spec);
  const job = kind === 'CronJob' ? fieldsOf(fieldsOf(outer.jobTemplate).spec) : outer;
  const template = kind === 'Pod' ? body : fieldsOf(job.template);
  const spec = fieldsOf(template.spec);
  if (kind === 'CronJob') cluster.miss(`the schedule of CronJob ${name}: it runs once, as a job`);
  for (const init of listOf(spec.initContainers).map(fieldsOf))
    cluster.miss(`the init container ${textOf(init.name) ?? ''} of ${name}`);
  if (spec.imagePullSecrets !== undefined) cluster.miss(`imagePullSecrets of ${name}: write registryLogin`);
  const owner = { name, spec, claimTemplates: listOf(outer.volumeClaimTemplates) };
  const labels = fieldsOf(fieldsOf(template.metadata).labels);
  const containers = listOf(spec.containers).map(fieldsOf);
  return containers.map((container, index) => {
    const own = index === 0 ? name : `${name}-${textOf(container.name) ?? index}`;
    if (index > 0) cluster.miss(`the shared localhost of ${name}: its container ${own} is a pod of its own`);
    const pod = containerPod(container, toSlug(own) ?? `pod-${index + 1}`, owner, cluster);
    const replicas = resourceType === 'deployment' || resourceType === 'statefulset' ? numberOf(outer.replicas) : 1;
    return { labels, pod: { ...pod, resourceType, replicas: Math.max(1, replicas ?? 1) } };
  });
}

type Port = { name: string | undefined; port: number; target: number };

/** The pods that a Service leads to are reached by its name; their ports are its targets. */
function applyService({ name, body }: Manifest, workloads: readonly Workload[], cluster: Cluster): void {
  const spec = fieldsOf(body.spec);
  const targets = targetsOf(spec, workloads);
  if (targets.length === 0 || name === '') {
    cluster.miss(`Service ${name}, which leads to no pod here`);
    return;
  }
  for (const { port, target } of portsOf(spec, targets)) {
    const pod = targets.find((one) => one.servicePorts.includes(target)) ?? targets[0]!;
    if (!pod.servicePorts.includes(target)) pod.servicePorts.push(target);
    for (const other of workloads) other.pod.vars = withAddress(other.pod.vars, name, { port, target });
  }
  const [first] = targets;
  if (first && first.name !== name) first.aliases = [...(first.aliases ?? []), name];
}

function targetsOf({ selector }: Fields, workloads: readonly Workload[]): PodSpec[] {
  const wanted = Object.entries(fieldsOf(selector));
  if (wanted.length === 0) return [];
  return workloads.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value)).map(({ pod }) => pod);
}

function portsOf(spec: Fields, targets: readonly PodSpec[]): Port[] {
  return listOf(spec.ports)
    .map(fieldsOf)
    .flatMap(({ name, port, targetPort }) => {
      const number = numberOf(port);
      // A named target is the container port with that name, which is usually its only one.
      const target = numberOf(targetPort) ?? (targetPort === undefined ? number : targets[0]?.servicePorts[0]);
      return number === undefined || target === undefined ? [] : [{ name: textOf(name), port: number, target }];
    });
}

/** `db.shop.svc.cluster.local:80` becomes `db:8080`, because Berth has no Services that map ports. */
function withAddress(vars: Record<string, string>, name: string, { port, target }: Omit<Port, 'name'>) {
  const escaped = name.replace(/[^a-z0-9-]/g, '');
  const host = new RegExp(
    `(?<![\\w.-])${escaped}(?:\\.[a-z0-9-]{1,63}\\.svc(?:\\.cluster\\.local)?)?(?::(\\d{1,5}))?(?![\\w.-])`,
    'g',
  );
  const rewrite = (value: string) =>
    value.replace(host, (whole, written?: string) =>
      written === undefined
        ? whole.includes('.')
          ? name
          : whole
        : `${name}:${Number(written) === port ? target : written}`,
    );
  return Object.fromEntries(Object.entries(vars).map(([key, value]) => [key, rewrite(value)]));
}

function routeIngresses(
  manifests: readonly Manifest[],
  services: readonly Manifest[],
  workloads: readonly Workload[],
  cluster: Cluster,
): void {
  for (const { name, body } of manifests.filter(({ kind }) => kind === 'Ingress')) {
    const spec = fieldsOf(body.spec);
    const rules = listOf(spec.rules).map(fieldsOf);
    const hosts = [...new Set(rules.flatMap(({ host }) => textOf(host) ?? []))];
    if (hosts.length > 0) cluster.miss(`the host ${hosts.join(', ')} of Ingress ${name}: write it as "url"`);
    const paths = rules.flatMap(({ http }) => listOf(fieldsOf(http).paths).map(fieldsOf));
    for (const { path, backend } of [...paths, { path: '/', backend: spec.defaultBackend ?? spec.backend }]) {
      const { service: own, serviceName } = fieldsOf(backend);
      const named = textOf(fieldsOf(own).name) ?? textOf(serviceName);
      const service = services.find((one) => one.name === named);
      const [pod] = service ? targetsOf(fieldsOf(service.body.spec), workloads) : [];
      if (pod) route(pod, textOf(path) ?? '/', workloads, cluster);
      else if (named !== undefined) cluster.miss(`the route of Ingress ${name} to Service ${named}`);
    }
  }
}

function route(pod: PodSpec, written: string, workloads: readonly Workload[], cluster: Cluster): void {
  const [plain = '/'] = /^\/[\w./-]*/.exec(written) ?? [];
  const path = plain === '/' ? '/' : plain.replace(/\/+$/, '');
  const isTaken = workloads.some((other) => other.pod !== pod && other.pod.path === path);
  if (pod.path === undefined && !isTaken) pod.path = path;
  else if (pod.path !== path) cluster.miss(`the route ${path} to ${pod.name}`);
}

/**
 * Adds public ports without an Ingress: those of an exposed Service, or else of the first pod that is not a database.
 */
function routeFirst(pods: readonly PodSpec[], services: readonly Manifest[], workloads: readonly Workload[]): void {
  const open = services.find(({ body }) => /^(?:LoadBalancer|NodePort)$/.test(textOf(fieldsOf(body.spec).type) ?? ''));
  const [shown] = open ? targetsOf(fieldsOf(open.body.spec), workloads) : [];
  const candidate = (pod: PodSpec) =>
    pod.servicePorts.length > 0 && pod.resourceType !== 'job' && databaseOf(pod.image) === undefined;
  const pod = shown ?? pods.find(candidate);
  if (pod) pod.path = '/';
}

/** A claim that several pods mount is one volume of the application. */
function shareVolumes(pods: readonly PodSpec[]): void {
  const volumes = pods.flatMap((pod) => pod.volumes);
  for (const volume of volumes) {
    if (pods.filter((pod) => pod.volumes.some(({ name }) => name === volume.name)).length > 1) volume.isShared = true;
  }
}
