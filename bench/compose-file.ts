/** PURE. The Compose file that a person would write for the same application. */
import { posix } from 'node:path';
import { stringify } from 'yaml';
import type { AppSpec, PodSpec } from '../src/config/spec/spec.ts';

export type Variant = {
  /** Ports of 127.0.0.1 by pod, published; none: as in the plain file. */
  published: Record<string, number>;
  hasHealthChecks: boolean;
};

/** Places of the pods' files, next to the Compose file: `<pod>/<path>`. */
export function additionalFiles(spec: AppSpec): { path: string; content: string }[] {
  return spec.pods.flatMap((pod) => pod.files.map(({ path, content }) => ({ path: placeOf(pod, path), content })));
}

/**
 * Images, variables, commands, files, volumes and names in the network are those of the specification. The file sets
 * none of the limits, capabilities and log files with which Berth's containers start: only Berth pays their cost.
 */
export function composeFile(spec: AppSpec, variant: Variant): string {
  const services = Object.fromEntries(spec.pods.map((pod) => [pod.name, serviceOf(pod, variant)]));
  const volumes = spec.pods.flatMap((pod) => pod.volumes.map(({ name }) => volumeName(pod, name)));
  return stringify({ services, volumes: Object.fromEntries(volumes.map((name) => [name, {}])) });
}

function serviceOf(pod: PodSpec, { published, hasHealthChecks }: Variant) {
  const port = published[pod.name];
  return {
    image: pod.image,
    ...(pod.entrypoint && { entrypoint: pod.entrypoint.map(literal) }),
    ...(pod.command && { command: pod.command.map(literal) }),
    environment: Object.fromEntries(Object.entries(pod.vars).map(([name, value]) => [name, literal(value)])),
    // Mounting is the cheapest way for Compose: it copies nothing.
    volumes: [
      ...pod.files.map(({ path }) => `./${placeOf(pod, path)}:${path}:ro`),
      ...pod.volumes.map(({ name, mountPath }) => `${volumeName(pod, name)}:${mountPath}`),
    ],
    networks: { default: { aliases: [`${pod.name}.pod`] } },
    ...(port !== undefined && { ports: [`127.0.0.1:${port}:${pod.servicePorts[0]}`] }),
    ...(hasHealthChecks && { healthcheck: healthCheckOf(pod) }),
  };
}

/** The commands that people write for these images; the images of a distribution and the official ones have them. */
const tests: Record<string, string[]> = {
  web: ['CMD-SHELL', 'wget -q -O /dev/null http://127.0.0.1:80/ || curl -fs -o /dev/null http://127.0.0.1:80/'],
  api: ['CMD', 'node', '-e', "fetch('http://127.0.0.1:3000/api/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))"],
  // Over TCP, because PostgreSQL's image only answers on the local socket while it initializes.
  db: ['CMD', 'pg_isready', '--host=127.0.0.1', '--username=guestbook'],
  cache: ['CMD', 'redis-cli', 'ping'],
};

function healthCheckOf({ name }: PodSpec) {
  const test = tests[name];
  if (!test) throw new Error(`The benchmark knows no health check for the pod ${name}.`);
  return { test, interval: '1s', timeout: '5s', retries: 60 };
}

function placeOf(pod: PodSpec, path: string): string {
  return posix.join(pod.name, path);
}

function volumeName(pod: PodSpec, volume: string): string {
  return `${pod.name}-${volume}`;
}

/** Compose would replace `$NAME`. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}
