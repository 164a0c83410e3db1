/** An AppSpec as a document of the native form, which parses back to the same spec. Pure. */
import { Document, visit } from 'yaml';
import { splitPath } from '../values/container-paths.ts';
import { escapeParameters } from '../variables/parameter-expansion.ts';
import type { AppSpec, ContainerOptions, FileSpec, HealthCheck, PodSpec, Resources, VolumeSpec } from './spec.ts';

/** Writes only values that differ from the defaults. */
export function printSpec({ name, url, registryLogin, sleep, pods }: AppSpec): string {
  const application = { name, url, registryLogin, sleep, pods: pods.map(podDocument) };
  const document = new Document({ application: withoutNothing(application) });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && isDelicate(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // Without a line width, long texts stay on one line, because a fold would add a space.
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
}

/**
 * Returns whether a text of several lines would change in a block scalar: it starts with blanks or has control
 * characters.
 */
function isDelicate(text: string): boolean {
  return text.includes('\n') && /^\s|(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u.test(text);
}

function podDocument(pod: PodSpec) {
  return withoutNothing({
    name: pod.name,
    image: pod.image,
    path: pod.path,
    stripPrefix: pod.stripPrefix,
    sticky: pod.sticky,
    servicePorts: filled(pod.servicePorts),
    vars: Object.keys(pod.vars).length > 0 ? escapeValues(pod.vars) : undefined,
    entrypoint: pod.entrypoint?.map(escapeParameters),
    command: pod.command?.map(escapeParameters),
    secrets: filled(pod.files.filter(({ isSecret }) => isSecret).map(secretDocument)),
    files: filled(pod.files.filter(({ isSecret }) => !isSecret).map(({ isSecret: _, ...file }) => file)),
    volumes: filled(pod.volumes.map(volumeDocument)),
    resourceType: pod.resourceType === 'deployment' ? undefined : pod.resourceType,
    replicas: pod.replicas === 1 ? undefined : pod.replicas,
    resources: resourcesDocument(pod.resources),
    healthCheck: pod.healthCheck && checkDocument(pod.healthCheck),
    useGPU: pod.useGPU || undefined,
    subdomain: pod.subdomain,
    dependsOn: filled(pod.dependsOn),
    restartsWith: filled(pod.restartsWith ?? []),
    workingDir: pod.workingDir,
    user: pod.user,
    ...containerDocument(pod.container ?? {}),
    aliases: filled(pod.aliases ?? []),
  });
}

function containerDocument(container: ContainerOptions) {
  const { shmBytes, tmpfs, ...rest } = container;
  return {
    ...rest,
    shmSize: shmBytes === undefined ? undefined : printSize(shmBytes),
    tmpfs: tmpfs?.map(({ sizeBytes, isExecutable, ...directory }) =>
      withoutNothing({
        ...directory,
        size: sizeBytes === undefined ? undefined : printSize(sizeBytes),
        executable: isExecutable,
      }),
    ),
  };
}

function checkDocument(check: HealthCheck) {
  return 'command' in check ? { ...check, command: check.command.map(escapeParameters) } : check;
}

function escapeValues(vars: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, escapeParameters(value)]));
}

function secretDocument({ path, content, isSecret: _, ...access }: FileSpec, index: number) {
  const { directory, fileName } = splitPath(path);
  return {
    name: `secret-${index + 1}`,
    // Files of several lines are not interpolated, so they are not escaped.
    data: content.includes('\n') ? content : escapeParameters(content),
    fileName,
    mountPath: directory,
    ...access,
  };
}

function volumeDocument({ name, sizeBytes, mountPath, isShared }: VolumeSpec) {
  return withoutNothing({ name, size: printSize(sizeBytes), mountPath, shared: isShared || undefined });
}

function resourcesDocument({ requests, limits }: PodSpec['resources']) {
  const document = withoutNothing({ requests: amounts(requests), limits: amounts(limits) });
  return Object.keys(document).length > 0 ? document : undefined;
}

function amounts({ cpuMillis, memoryBytes }: Resources) {
  if (cpuMillis === undefined && memoryBytes === undefined) return undefined;
  return withoutNothing({
    cpu: cpuMillis === undefined ? undefined : `${cpuMillis}m`,
    memory: memoryBytes === undefined ? undefined : printSize(memoryBytes),
  });
}

function printSize(bytes: number): string | number {
  for (const [unit, size] of [
    ['Gi', 2 ** 30],
    ['Mi', 2 ** 20],
    ['Ki', 2 ** 10],
  ] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return bytes;
}

function filled<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function withoutNothing<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
