/** A container of a Kubernetes workload as a pod. Pure. */
import type { FileSpec, HealthCheck, PodSpec, Resources, TmpfsSpec, VolumeSpec } from '../spec/spec.ts';
import { parseBytes, parseCpuMillis } from '../values/units.ts';
import { type Cluster, sizeOf } from './cluster.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './manifests.ts';

export type Owner = { name: string; spec: Fields; claimTemplates: readonly unknown[] };

const defaultVolumeBytes = 2 ** 30;

export function containerPod(
  container: Fields,
  name: string,
  { spec, claimTemplates }: Owner,
  cluster: Cluster,
): PodSpec {
  const ports = listOf(container.ports).map(fieldsOf);
  const vars = varsOf(container, name, cluster);
  const mounts = mountsOf(container, name, { spec, claimTemplates }, cluster);
  const healthCheck = checkOf(container, ports);
  const words = (value: unknown) => {
    const list = listOf(value).map((word) => expand(textOf(word) ?? '', vars));
    return list.length > 0 ? list : undefined;
  };
  const entrypoint = words(container.command);
  const command = words(container.args);
  const user =
    numberOf(fieldsOf(container.securityContext).runAsUser) ?? numberOf(fieldsOf(spec.securityContext).runAsUser);
  const workingDir = textOf(container.workingDir);
  return {
    name,
    image: textOf(container.image) ?? '',
    servicePorts: ports.flatMap(({ containerPort }) => numberOf(containerPort) ?? []),
    vars,
    ...(entrypoint && { entrypoint }),
    ...(command && { command }),
    files: mounts.files,
    volumes: mounts.volumes,
    resourceType: 'deployment',
    replicas: 1,
    resources: { requests: amounts(container, 'requests'), limits: amounts(container, 'limits') },
    ...(healthCheck && { healthCheck }),
    useGPU: Object.keys(fieldsOf(fieldsOf(container.resources).limits)).some((key) => key.endsWith('/gpu')),
    dependsOn: [],
    ...(workingDir !== undefined && { workingDir }),
    ...(user !== undefined && { user: `${user}` }),
    ...(mounts.tmpfs.length > 0 && { container: { tmpfs: mounts.tmpfs } }),
  };
}

function amounts({ resources }: Fields, kind: 'requests' | 'limits'): Resources {
  const { cpu, memory } = fieldsOf(fieldsOf(resources)[kind]);
  const cpuMillis = parseCpuMillis(textOf(cpu) ?? '');
  const memoryBytes = parseBytes(textOf(memory) ?? '');
  return { ...(cpuMillis > 0 && { cpuMillis }), ...(memoryBytes > 0 && { memoryBytes }) };
}

function varsOf(container: Fields, pod: string, cluster: Cluster): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const from of listOf(container.envFrom).map(fieldsOf)) {
    for (const [kind, key] of [
      ['ConfigMap', 'configMapRef'],
      ['Secret', 'secretRef'],
    ] as const) {
      const name = textOf(fieldsOf(from[key]).name);
      if (name === undefined) continue;
      const values = cluster.valuesOf(kind, name);
      if (!values) cluster.miss(`the variables of ${kind} ${name}, which is not in the text`);
      for (const [variable, value] of Object.entries(values ?? {}))
        vars[`${textOf(from.prefix) ?? ''}${variable}`] = value;
    }
  }
  for (const { name, value, valueFrom } of listOf(container.env).map(fieldsOf)) {
    const variable = textOf(name);
    if (variable === undefined) continue;
    const text = valueFrom === undefined ? (textOf(value) ?? '') : referenced(fieldsOf(valueFrom), cluster);
    if (text === undefined) cluster.miss(`the variable ${variable} of ${pod}, whose value is elsewhere`);
    else vars[variable] = valueFrom === undefined ? expand(text, vars) : text;
  }
  return vars;
}

function referenced(from: Fields, cluster: Cluster): string | undefined {
  for (const [kind, field] of [
    ['ConfigMap', 'configMapKeyRef'],
    ['Secret', 'secretKeyRef'],
  ] as const) {
    const { name, key } = fieldsOf(from[field]);
    const values = cluster.valuesOf(kind, textOf(name) ?? '');
    if (values && Object.hasOwn(values, textOf(key) ?? '')) return values[textOf(key)!];
  }
  return undefined;
}

/** `$(NAME)` of an earlier variable, as Kubernetes replaces it. */
function expand(text: string, vars: Record<string, string>): string {
  return text.replace(/\$?\$\(([\w.-]{1,200})\)/g, (whole, name: string) =>
    whole.startsWith('$$') ? whole.slice(1) : Object.hasOwn(vars, name) ? vars[name]! : whole,
  );
}

function checkOf(container: Fields, ports: readonly Fields[]): HealthCheck | undefined {
  const probe = fieldsOf(container.readinessProbe ?? container.livenessProbe ?? container.startupProbe);
  const times = {
    initialDelaySeconds: numberOf(probe.initialDelaySeconds) ?? 0,
    periodSeconds: numberOf(probe.periodSeconds) ?? 10,
    timeoutSeconds: numberOf(probe.timeoutSeconds) ?? 1,
    failureThreshold: numberOf(probe.failureThreshold) ?? 3,
  };
  const command = listOf(fieldsOf(probe.exec).command).flatMap((word) => textOf(word) ?? []);
  if (command.length > 0) return { ...times, command };
  const { path, port } = fieldsOf(probe.httpGet);
  const named = ports.find(({ name }) => name !== undefined && name === port);
  const number = numberOf(named ? named.containerPort : port);
  return number === undefined ? undefined : { ...times, path: textOf(path) ?? '/', port: number };
}

type Mounts = { files: FileSpec[]; volumes: VolumeSpec[]; tmpfs: TmpfsSpec[] };

function mountsOf(container: Fields, pod: string, owner: Omit<Owner, 'name'>, cluster: Cluster): Mounts {
  const mounts: Mounts = { files: [], volumes: [], tmpfs: [] };
  const templates = owner.claimTemplates.map(fieldsOf);
  for (const { name, mountPath: path, subPath } of listOf(container.volumeMounts).map(fieldsOf)) {
    const mountPath = textOf(path);
    if (mountPath === undefined) continue;
    const template = templates.find((one) => fieldsOf(one.metadata).name === name);
    const source = fieldsOf(
      listOf(owner.spec.volumes)
        .map(fieldsOf)
        .find((one) => one.name === name),
    );
    const claim = textOf(fieldsOf(source.persistentVolumeClaim).claimName);
    const volume = template ? (textOf(name) ?? '') : claim;
    if (volume !== undefined) {
      const bytes = template ? sizeOf(fieldsOf(template.spec)) : cluster.claimBytes(volume);
      mounts.volumes.push({ name: volume, sizeBytes: bytes ?? defaultVolumeBytes, mountPath });
      if (subPath !== undefined) cluster.miss(`subPath of the volume ${volume} of ${pod}`);
    } else if (source.emptyDir !== undefined) mounts.tmpfs.push({ mountPath });
    else {
      const files = filesOf(source, { mountPath, subPath: textOf(subPath) }, cluster);
      if (files) mounts.files.push(...files);
      else cluster.miss(`the volume "${textOf(name) ?? ''}" of ${pod}`);
    }
  }
  return mounts;
}

/** Returns the files of a mounted ConfigMap or Secret. Undefined for other kinds of volumes. */
function filesOf(
  source: Fields,
  { mountPath, subPath }: { mountPath: string; subPath: string | undefined },
  cluster: Cluster,
): FileSpec[] | undefined {
  const { name: configMap, items: configItems } = fieldsOf(source.configMap);
  const { secretName, items: secretItems } = fieldsOf(source.secret);
  const isSecret = secretName !== undefined;
  const values = cluster.valuesOf(isSecret ? 'Secret' : 'ConfigMap', textOf(secretName ?? configMap) ?? '');
  if (!values) return undefined;
  const items = listOf(isSecret ? secretItems : configItems).map(fieldsOf);
  const placed =
    items.length > 0
      ? items.map(({ key, path }) => ({ key: textOf(key) ?? '', path: textOf(path) ?? '' }))
      : Object.keys(values).map((key) => ({ key, path: key }));
  return placed
    .filter(({ key, path }) => Object.hasOwn(values, key) && (subPath === undefined || path === subPath))
    .map(({ key, path }) => ({
      path: subPath === undefined ? `${mountPath.replace(/\/+$/, '')}/${path}` : mountPath,
      content: values[key]!,
      isSecret,
    }));
}
