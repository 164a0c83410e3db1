/** An AppSpec as a Compose file, which Docker Compose runs without Berth and Berth reads back. Pure. */
import { Document } from 'yaml';
import {
  type AppSpec,
  type ContainerOptions,
  type HealthCheck,
  hasTest,
  type PodSpec,
  type Resources,
} from '../spec/spec.ts';
import { replaceScriptlets, type Scriptlet } from '../variables/scriptlets.ts';
import { piecesOf, type Secrets, secretsOf, variableName } from './secret-values.ts';

export type Export = { text: string; notes: string[] };
export type ExportOptions = {
  withSecrets: boolean;
  /** Archives for the initial content of volumes, by the volume's name: each with the directory below it, or `.`. */
  fills?: ReadonlyMap<string, Record<string, string>>;
  /** Pods whose image is in the OCI layout next to the file. */
  inLayout?: ReadonlySet<string>;
};

/** Where that layout is. */
export const layoutFolder = 'images';

/** The local port of the first public pod. Each further pod gets the next port. */
const firstPort = 8080;

/** The variables for the application's address, and their defaults. */
const addresses = { url: 'BERTH_URL', host: 'BERTH_HOST', domain: 'BERTH_DOMAIN', registry: 'BERTH_REGISTRY' } as const;
const defaults = {
  url: `http://localhost:${firstPort}`,
  host: 'localhost',
  domain: `localhost:${firstPort}`,
  registry: 'localhost',
};

export function exportCompose(spec: AppSpec, options: ExportOptions): Export {
  const { withSecrets, fills, inLayout } = options;
  const texts = writer(withSecrets ? [] : secretsOf(spec));
  const publicPods = spec.pods.filter(({ path }) => path !== undefined);
  // The pod with the start page gets the first port, which is the port of the application's address.
  publicPods.sort((a, b) => Number(b.path === '/') - Number(a.path === '/'));
  const portOf = publishedPorts(publicPods);
  const services = Object.fromEntries(
    spec.pods.map((pod) => [
      pod.name,
      service(pod, spec, { ...texts, published: portOf.get(pod.name), isInLayout: inLayout?.has(pod.name) ?? false }),
    ]),
  );
  const volumes = spec.pods.flatMap((pod) =>
    pod.volumes.map((volume) => {
      const name = volumeName(pod, volume);
      return [name, { 'x-berth': written({ size: `${volume.sizeBytes}`, fill: fills?.get(name) }) }] as const;
    }),
  );
  const configs = spec.pods.flatMap((pod) =>
    pod.files.map(
      (file, at) => [configName(pod, at), { content: fileText(pod, at, file, texts, withSecrets) }] as const,
    ),
  );
  const vars = texts.used.size > 0 ? Object.fromEntries(texts.used) : undefined;
  const extension = written({ url: spec.url, sleep: spec.sleep, vars });
  const document = written({
    name: spec.name,
    services,
    volumes: filled(Object.fromEntries(volumes)),
    configs: filled(Object.fromEntries(configs)),
    'x-berth': filled(extension),
  });
  return {
    text: new Document(document).toString({ lineWidth: 0 }),
    notes: notesOf(spec, publicPods, portOf, texts.asked),
  };
}

/** Each replica gets its own host port, because Compose cannot publish one port for several replicas. */
function publishedPorts(publicPods: readonly PodSpec[]): Map<string, string> {
  let next = firstPort;
  return new Map(
    publicPods.map(({ name, replicas }) => {
      const [first, last] = [next, next + replicas - 1];
      next = last + 1;
      return [name, first === last ? `${first}` : `${first}-${last}`];
    }),
  );
}

type Writer = {
  write(text: string): string;
  /** The variables that are the application's address, or values that Berth makes up. */
  used: Map<string, string>;
  /** Variables that the user must set. */
  asked: Set<string>;
};

/** Doubles dollar signs in values. Secrets and values that are not known yet become variables. */
function writer(secrets: Secrets): Writer {
  const used = new Map<string, string>();
  const requested = new Set<string>();
  const ask = (name: string) => {
    requested.add(name);
    return `\${${name}:?is to be set}`;
  };
  const address = (scriptlet: Scriptlet): string => {
    if (scriptlet.kind === 'secret') {
      used.set(scriptlet.name, `<% SECRET ${scriptlet.name} %>`);
      return ask(scriptlet.name);
    }
    const name = addresses[scriptlet.kind];
    used.set(name, `<% ${scriptlet.kind.toUpperCase()} %>`);
    return `\${${name}:-${defaults[scriptlet.kind]}}`;
  };
  return {
    used,
    asked: requested,
    write: (text) =>
      piecesOf(text, secrets)
        .map((piece) =>
          'secret' in piece ? ask(piece.secret) : replaceScriptlets(piece.text.replaceAll('$', '$$$$'), address),
        )
        .join(''),
  };
}

function dependencyOf(pod: PodSpec, spec: AppSpec, name: string) {
  const restart = pod.restartsWith?.includes(name);
  return { condition: conditionOf(spec, name), ...(restart && { restart }) };
}

type Surroundings = Writer & { published: string | undefined; isInLayout: boolean };

function service(pod: PodSpec, spec: AppSpec, { write, published, isInLayout }: Surroundings) {
  const [port, ...others] = pod.servicePorts;
  const extension = written({
    path: pod.path ?? (port === undefined ? undefined : false),
    stripPrefix: pod.stripPrefix,
    sticky: pod.sticky,
    port: pod.path !== undefined && others.length > 0 ? port : undefined,
    resourceType: pod.resourceType === 'deployment' ? undefined : pod.resourceType,
    subdomain: pod.subdomain,
    layout: isInLayout ? layoutFolder : undefined,
  });
  const isOnce = pod.resourceType === 'job';
  return written({
    image: write(pod.image),
    // The image is in no registry under this name, or must not be pulled.
    pull_policy: isInLayout ? 'never' : undefined,
    entrypoint: pod.entrypoint?.map(write),
    command: pod.command?.map(write),
    working_dir: pod.workingDir,
    user: pod.user,
    environment: filled(Object.fromEntries(Object.entries(pod.vars).map(([name, value]) => [name, write(value)]))),
    ports: published === undefined || port === undefined ? undefined : [`${published}:${port}`],
    expose: filled(pod.servicePorts.map(String)),
    volumes: filled(pod.volumes.map((volume) => `${volumeName(pod, volume)}:${volume.mountPath}`)),
    configs: filled(pod.files.map((file, at) => ({ source: configName(pod, at), target: file.path, ...access(file) }))),
    networks: { default: { aliases: [`${pod.name}.pod`, ...(pod.aliases ?? [])] } },
    depends_on: filled(Object.fromEntries(pod.dependsOn.map((name) => [name, dependencyOf(pod, spec, name)]))),
    healthcheck: pod.healthCheck && healthcheck(pod.healthCheck, write),
    // The pods that it waits for have often only been started, so it retries.
    restart: isOnce || pod.container?.mayEnd ? 'on-failure' : 'unless-stopped',
    ...container(pod.container ?? {}),
    deploy: filled(
      written({ replicas: pod.replicas === 1 ? undefined : pod.replicas, resources: filled(resources(pod)) }),
    ),
    'x-berth': filled(extension),
  });
}

function conditionOf({ pods }: AppSpec, name: string): string {
  const other = pods.find((pod) => pod.name === name);
  if (other?.resourceType === 'job') return 'service_completed_successfully';
  return hasTest(other?.healthCheck) ? 'service_healthy' : 'service_started';
}

function healthcheck(check: HealthCheck, write: Writer['write']) {
  if ('disabled' in check) return { disable: true };
  if (!hasTest(check)) return { start_period: `${check.startPeriodSeconds}s` };
  const { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold, startPeriodSeconds = 0 } = check;
  const startSeconds = Math.max(initialDelaySeconds, startPeriodSeconds);
  const test =
    'command' in check
      ? ['CMD', ...check.command.map(write)]
      : ['CMD', 'wget', '-q', '-O', '/dev/null', write(`http://localhost:${check.port}${check.path}`)];
  const times = { interval: `${periodSeconds}s`, timeout: `${timeoutSeconds}s`, retries: failureThreshold };
  return written({ test, ...times, start_period: startSeconds > 0 ? `${startSeconds}s` : undefined });
}

function resources({ resources: { requests, limits }, useGPU }: PodSpec) {
  const gpu = { driver: 'nvidia', count: 1, capabilities: ['gpu'] };
  const reserved = written({ ...amounts(requests), devices: useGPU ? [gpu] : undefined });
  return written({ limits: filled(amounts(limits)), reservations: filled(reserved) });
}

function amounts({ cpuMillis, memoryBytes }: Resources) {
  return written({
    cpus: cpuMillis === undefined ? undefined : String(cpuMillis / 1000),
    memory: memoryBytes === undefined ? undefined : `${memoryBytes}`,
  });
}

function container({ shmBytes, tmpfs, ulimits, ...options }: ContainerOptions) {
  return {
    hostname: options.hostname,
    domainname: options.domainname,
    read_only: options.readOnly,
    stop_signal: options.stopSignal,
    stop_grace_period: options.stopGraceSeconds === undefined ? undefined : `${options.stopGraceSeconds}s`,
    group_add: options.groups,
    extra_hosts: options.extraHosts,
    sysctls: options.sysctls,
    shm_size: shmBytes === undefined ? undefined : `${shmBytes}`,
    ulimits,
    tmpfs: tmpfs?.map(({ mountPath, sizeBytes, mode, user, group, isExecutable }) => {
      const choices = written({ size: sizeBytes, mode, uid: user, gid: group });
      const words = [
        ...Object.entries(choices).map(([name, value]) => `${name}=${value}`),
        ...(isExecutable ? ['exec'] : []),
      ];
      return words.length > 0 ? `${mountPath}:${words.join(',')}` : mountPath;
    }),
  };
}

/** The name of a pod distinguishes its own volumes; those of the application have their own names. */
export function volumeName({ name: pod }: PodSpec, { name, isShared }: PodSpec['volumes'][number]): string {
  return isShared ? name : `${pod}-${name}`;
}

function access({ mode, user, group }: PodSpec['files'][number]) {
  return written({
    mode: mode === undefined ? undefined : `0${mode}`,
    uid: user === undefined ? undefined : String(user),
    gid: group === undefined ? undefined : String(group),
  });
}

function configName({ name }: PodSpec, at: number): string {
  return `${name}-file-${at + 1}`;
}

function fileText(
  { name }: PodSpec,
  at: number,
  { content, isSecret }: PodSpec['files'][number],
  { write, asked }: Writer,
  withSecrets: boolean,
): string {
  if (!isSecret || withSecrets) return write(content);
  const variable = `${variableName(name)}_FILE_${at + 1}`;
  asked.add(variable);
  return `\${${variable}:?is to be set}`;
}

function notesOf(
  { registryLogin }: AppSpec,
  publicPods: PodSpec[],
  ports: ReadonlyMap<string, string>,
  requested: Set<string>,
) {
  const notes: string[] = [];
  if (requested.size > 0) notes.push(`Set these, in .env or the environment: ${[...requested].sort().join(', ')}.`);
  if (publicPods.length > 1) {
    const reported = publicPods.map(({ name, path }) => `${path} is ${name} at ${ports.get(name)}`).join(', ');
    notes.push(`Docker Compose has no paths, so each public pod has its own port (${reported}).`);
  }
  if (registryLogin) notes.push(`The images need "docker login ${registryLogin.registry}".`);
  return notes;
}

/** Removes fields without a value from a written document. PURE. */

/** Without the fields that are undefined. */
export function written<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}

/** Undefined instead of a list or map with nothing in it. */
export function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}
