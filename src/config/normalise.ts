/** A valid document → the AppSpec: defaults filled in, the ways of writing a thing brought to one. */
import { split } from 'shlex';
import type { Diagnostic, Path } from './diagnostics.ts';
import { printPath } from './diagnostics.ts';
import type { Configuration, PodConfiguration } from './schema.ts';
import type { Source } from './source.ts';
import type { AppSpec, FileSpec, HealthCheck, PodSpec, Resources, VolumeSpec } from './spec.ts';
import { parseBytes, parseCpuMillis } from './units.ts';

const defaultVolumeBytes = 2 ** 30;

/** Diagnostics are of what only shows in reading, such as an unclosed quote; the spec is complete all the same. */
export function normalise(configuration: Configuration, source: Source): { spec: AppSpec; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const complain = (path: Path, code: string, message: string, hint: string) =>
    diagnostics.push({ severity: 'error', code, path: printPath(path), ...source.place(path), message, hint });
  const { application } = configuration;
  const spec: AppSpec = {
    name: application.name,
    ...(application.url !== undefined && { url: application.url }),
    ...(application.registryLogin && { registryLogin: application.registryLogin }),
    pods: application.pods.map((pod, index) => {
      const path = ['application', 'pods', index];
      return normalisePod(pod, path, source, (field) => {
        complain([...path, field], 'unclosed-quote', 'has a quote that is not closed', 'close it, or write a list');
      });
    }),
  };
  return { spec, diagnostics };
}

function normalisePod(
  pod: PodConfiguration,
  path: Path,
  source: Source,
  complainUnclosed: (field: string) => void,
): PodSpec {
  const words = (field: 'command' | 'entrypoint') => {
    const value = pod[field];
    if (value === undefined || Array.isArray(value)) return value;
    try {
      return split(value);
    } catch {
      complainUnclosed(field);
      return [];
    }
  };
  const entrypoint = words('entrypoint');
  const command = words('command');
  const servicePorts = pod.servicePorts ?? [];
  return {
    name: pod.name,
    image: pod.image.trim(),
    ...(pod.path !== undefined && { path: withoutTrailingSlash(pod.path) }),
    servicePorts,
    vars: readVars(pod.vars, [...path, 'vars'], source),
    ...(entrypoint && { entrypoint }),
    ...(command && { command }),
    files: [...(pod.secrets ?? []).map(secretFile), ...(pod.files ?? []).map((file) => ({ ...file, isSecret: false }))],
    volumes: (pod.volumes ?? []).map(readVolume),
    resourceType: pod.resourceType ?? 'deployment',
    replicas: pod.replicas ?? 1,
    resources: {
      requests: readResources(pod.resources?.requests),
      limits: readResources(pod.resources?.limits),
    },
    ...(pod.healthCheck && { healthCheck: readHealthCheck(pod.healthCheck, servicePorts[0]) }),
    useGPU: pod.useGPU ?? false,
    ...(pod.subdomain !== undefined && { subdomain: pod.subdomain }),
    dependsOn: pod.dependsOn ?? [],
  };
}

function withoutTrailingSlash(path: string): string {
  return path === '/' ? path : path.replace(/\/$/, '');
}

/** A map, a list of `{key, value}` or a list of one-key maps → a map; scalars keep the text they were written with. */
function readVars(vars: PodConfiguration['vars'], path: Path, source: Source): Record<string, string> {
  const text = (at: Path) => source.textOf(at) ?? '';
  if (!Array.isArray(vars)) {
    return Object.fromEntries(Object.keys(vars ?? {}).map((name) => [name, text([...path, name])]));
  }
  return Object.fromEntries(
    vars.map((entry, index) => {
      if (isKeyValue(entry)) return [entry.key, text([...path, index, 'value'])];
      const name = Object.keys(entry)[0]!;
      return [name, text([...path, index, name])];
    }),
  );
}

function isKeyValue(entry: object): entry is { key: string } {
  return (
    'key' in entry && typeof entry.key === 'string' && Object.keys(entry).every((k) => k === 'key' || k === 'value')
  );
}

function secretFile(secret: NonNullable<PodConfiguration['secrets']>[number]): FileSpec {
  const directory = secret.mountPath ?? `/var/secrets/${secret.name}`;
  return { path: `${directory.replace(/\/+$/, '')}/${secret.fileName}`, content: secret.data, isSecret: true };
}

function readVolume({ name, size, mountPath }: NonNullable<PodConfiguration['volumes']>[number]): VolumeSpec {
  const slug = mountPath
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63);
  return {
    name: name ?? (slug || 'data'),
    sizeBytes: size === undefined ? defaultVolumeBytes : parseBytes(size),
    mountPath: withoutTrailingSlash(mountPath),
  };
}

function readResources(resources: { cpu?: string | number; memory?: string | number } | undefined): Resources {
  return {
    ...(resources?.cpu !== undefined && { cpuMillis: parseCpuMillis(resources.cpu) }),
    ...(resources?.memory !== undefined && { memoryBytes: parseBytes(resources.memory) }),
  };
}

function readHealthCheck(
  check: NonNullable<PodConfiguration['healthCheck']>,
  firstPort: number | undefined,
): HealthCheck {
  return {
    path: check.path,
    port: check.port ?? firstPort ?? 80,
    initialDelaySeconds: check.initialDelaySeconds ?? 0,
    periodSeconds: check.periodSeconds ?? 10,
    timeoutSeconds: check.timeoutSeconds ?? 5,
    failureThreshold: check.failureThreshold ?? 3,
  };
}
