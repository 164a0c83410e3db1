/**
 * Converts a document to an AppSpec: fills in defaults, and normalizes alternative notations. Invalid values count as
 * absent, so that the rest is checked. `shape.ts` reports them.
 */
import { excerpt, type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { replaceValue } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { childOf, type Field, itemsOf, textOf } from '../document/tree.ts';
import { resourceTypes } from '../schema/field-rules.ts';
import { httpPortOf } from '../software/software.ts';
import type { AppSpec, FileAccess, FileSpec, PodSpec, RegistryLogin, Resources } from '../spec/spec.ts';
import { readBuildSource } from '../values/build-source.ts';
import { readAccess } from '../values/container-values.ts';
import { splitWords } from '../values/shell-words.ts';
import { parseBytes, parseCpuMillis, readCpu, readPort, readSize } from '../values/units.ts';
import { podHosts, readContainer, reporterAt } from './container-fields.ts';
import { readHealthCheck } from './health-check.ts';
import { buildHint } from './missing-fields.ts';
import { booleanOf, integerOf } from './scalars.ts';
import { readVars, type Var } from './vars.ts';
import { readVolumes } from './volume-fields.ts';

/** The places of the parts of a spec in its document. */
export type Origin = {
  pod(index: number): Path;
  variable(pod: number, name: string): Path;
  /** Returns the path of the n-th file of a pod. Secrets and plain files are counted together. */
  file(pod: number, index: number): Path;
};

export function normalise(source: Source, report: Report): { spec: AppSpec; origin: Origin } {
  const application = childOf({ tree: source.root, path: [] }, 'application');
  const podFields = itemsOf(childOf(application, 'pods'), max.pods);
  const names = new Set(podFields.flatMap((pod) => textOf(childOf(pod, 'name')) ?? []));
  const pods = podFields.map((pod, index) => readPod(pod, index, { source, names, report }));
  const login = readLogin(childOf(application, 'registryLogin'), source, report);
  const url = readDomain(childOf(application, 'url'), source, report);
  const spec: AppSpec = {
    name: textOf(childOf(application, 'name')) ?? '',
    ...(url !== undefined && { url }),
    ...(login && { registryLogin: login }),
    ...(booleanOf(childOf(application, 'sleep')) === false && { sleep: false }),
    pods: pods.map(({ spec }) => spec),
  };
  giveHostNames(podFields, spec.pods);
  const podPath = (index: number): Path => ['application', 'pods', index];
  return {
    spec,
    origin: {
      pod: podPath,
      variable: (pod, name) => pods[pod]?.varPaths.get(name) ?? [...podPath(pod), 'vars', name],
      file: (pod, index) => pods[pod]?.filePaths[index] ?? podPath(pod),
    },
  };
}

/** Content beyond the limits of the schema is not read. The schema reports it. */
const max = { pods: 50, files: 200, names: 50, words: 1000 };

/** `extraHosts` with another pod as their address: names of that pod. */
function giveHostNames(fields: Field[], pods: PodSpec[]): void {
  const byName = new Map(pods.map((pod) => [pod.name, pod]));
  for (const { alias, pod } of fields.flatMap((field) => podHosts(field, (name) => byName.has(name)))) {
    const target = byName.get(pod)!;
    if (alias !== pod) target.aliases = [...new Set([...(target.aliases ?? []), alias])];
  }
}

type ReadPod = { spec: PodSpec; varPaths: Map<string, Path>; filePaths: Path[] };

type Reading = { source: Source; names: ReadonlySet<string>; report: Report };

function readPod(pod: Field, index: number, { source, names, report }: Reading): ReadPod {
  const text = (name: string) => textOf(childOf(pod, name));
  const route = text('path');
  const words = (name: 'command' | 'entrypoint') => readWords(childOf(pod, name), report);
  const variables = readVars(childOf(pod, 'vars'), source, report);
  const secrets = itemsOf(childOf(pod, 'secrets'), max.files).flatMap((secret) => readSecret(secret, report));
  const files = itemsOf(childOf(pod, 'files'), max.files).flatMap((file) => readFile(file, report));
  const [command, entrypoint] = [words('command'), words('entrypoint')];
  const check = childOf(pod, 'healthCheck');
  const [workingDir, user, subdomain] = [text('workingDir'), text('user'), text('subdomain')];
  const container = readContainer(pod, (name) => names.has(name), report);
  const namesIn = (field: string) => itemsOf(childOf(pod, field), max.names).flatMap((name) => textOf(name) ?? []);
  const [aliases, restartsWith] = [namesIn('aliases'), namesIn('restartsWith')];
  const spec: PodSpec = {
    // A missing name, which is already reported, is replaced with one that no other pod can have.
    name: text('name') ?? `#${index + 1}`,
    image: readImage(pod, report),
    ...(route !== undefined && { path: withoutTrailingSlash(route.startsWith('/') ? route : `/${route}`) }),
    ...(booleanOf(childOf(pod, 'stripPrefix')) && { stripPrefix: true }),
    ...(booleanOf(childOf(pod, 'sticky')) && { sticky: true }),
    servicePorts: readPorts(childOf(pod, 'servicePorts')),
    vars: Object.fromEntries(variables.map(({ name, value }: Var) => [name, value])),
    ...(entrypoint && { entrypoint }),
    ...(command && { command }),
    files: [...secrets, ...files].map(({ file }) => file),
    volumes: readVolumes(childOf(pod, 'volumes'), report),
    resourceType: resourceTypes.find((type) => type === text('resourceType')?.toLowerCase()) ?? 'deployment',
    replicas: integerOf(childOf(pod, 'replicas')) ?? 1,
    resources: {
      requests: readResources(childOf(childOf(pod, 'resources'), 'requests'), report),
      limits: readResources(childOf(childOf(pod, 'resources'), 'limits'), report),
    },
    useGPU: booleanOf(childOf(pod, 'useGPU')) ?? false,
    ...(subdomain !== undefined && { subdomain }),
    dependsOn: namesIn('dependsOn'),
    ...(restartsWith.length > 0 && { restartsWith }),
    ...(aliases.length > 0 && { aliases }),
    ...(workingDir !== undefined && { workingDir }),
    ...(user !== undefined && { user }),
    ...(container && { container }),
  };
  inferPort(spec, pod.path, textOf(childOf(check, 'port')), report);
  const checkCommand = readWords(childOf(check, 'command'), report);
  const healthCheck = check && readHealthCheck(check, checkCommand, spec.servicePorts[0], report);
  if (healthCheck) spec.healthCheck = healthCheck;
  return {
    spec,
    varPaths: new Map(variables.map(({ name, path }) => [name, path])),
    filePaths: [...secrets, ...files].map(({ path }) => path),
  };
}

/** An image that is built is named like its pod, unless the document names it. */
function readImage(pod: Field, report: Report): string {
  const image = textOf(childOf(pod, 'image'))?.trim();
  const build = childOf(pod, 'build');
  const isBuilt = readBuildSource(build) !== undefined;
  if (build && image !== undefined && !isBuilt) {
    const advice = { key: 'build', hint: buildHint };
    report.warn(pod.path, 'unknown-field', 'is ignored: the image is pulled', advice);
  }
  return image ?? (isBuilt ? `./${textOf(childOf(pod, 'name')) ?? 'web'}:1` : '');
}

function withoutTrailingSlash(path: string): string {
  return path === '/' ? path : path.replace(/\/$/, '');
}

function readPorts(field: Field | undefined): number[] {
  return [...new Set(itemsOf(field, max.names).flatMap((port) => readPort(textOf(port) ?? '') ?? []))];
}

/** Returns a list unchanged. Splits a text into words like POSIX, without expansion. */
function readWords(field: Field | undefined, report: Report): string[] | undefined {
  if (!field) return undefined;
  if (field.tree.kind === 'list') return itemsOf(field, max.words).flatMap((word) => textOf(word) ?? []);
  const text = textOf(field);
  const words = text === undefined ? undefined : splitWords(text);
  if (text !== undefined && !words) {
    const hint = 'close it, or write a list: [sh, -c, "…"]';
    report.error(field.path, 'unclosed-quote', 'has a quote that is not closed', { hint });
  }
  if (words && words.length > max.words) {
    report.error(field.path, 'bad-value', `has ${words.length} words, and at most ${max.words} are possible`);
    return [];
  }
  return words;
}

function readSecret(secret: Field, report: Report): { file: FileSpec; path: Path }[] {
  const [name, fileName] = [textOf(childOf(secret, 'name')), textOf(childOf(secret, 'fileName'))];
  if (fileName === undefined) return [];
  const directory = textOf(childOf(secret, 'mountPath')) ?? `/var/secrets/${name ?? ''}`;
  const path = `${directory.replace(/(?<!\/)\/+$/, '').replace(/^\/$/, '')}/${fileName}`;
  const content = textOf(childOf(secret, 'data')) ?? '';
  return [{ file: { path, content, isSecret: true, ...accessOf(secret, report) }, path: secret.path }];
}

function readFile(file: Field, report: Report): { file: FileSpec; path: Path }[] {
  const path = textOf(childOf(file, 'path'));
  if (path === undefined) return [];
  const content = textOf(childOf(file, 'content')) ?? '';
  return [{ file: { path, content, isSecret: false, ...accessOf(file, report) }, path: file.path }];
}

function accessOf(file: Field, report: Report): FileAccess {
  const text = (name: string) => textOf(childOf(file, name));
  return readAccess({ mode: text('mode'), user: text('user'), group: text('group') }, (field) =>
    reporterAt([...file.path, field], report),
  );
}

/** Docker's own least memory of a container. */
const minMemory = 6 * 2 ** 20;

function readResources(field: Field | undefined, report: Report): Resources {
  const [cpu, memory] = [childOf(field, 'cpu'), childOf(field, 'memory')];
  const millis = parseCpuMillis(readCpu(textOf(cpu) ?? '') ?? Number.NaN);
  const bytes = parseBytes(readSize(textOf(memory) ?? '') ?? '');
  if (memory && bytes < minMemory && !report.isBroken(memory.path)) {
    const text = textOf(memory)!;
    const hint = /^[1-9]\d*$/.test(text) ? `did you mean ${text}Mi?` : 'no container runs with less than 6Mi';
    report.error(memory.path, 'unlikely-quantity', `${quote(text)} is ${bytes} bytes, less than any program needs`, {
      hint,
    });
  }
  if (cpu && millis >= 100_000 && !report.isBroken(cpu.path)) {
    const hint = `did you mean ${millis / 1000}m?`;
    report.error(cpu.path, 'unlikely-quantity', `${quote(textOf(cpu)!)} are ${millis / 1000} cores`, { hint });
  }
  return {
    ...(cpu && millis > 0 && { cpuMillis: millis }),
    ...(memory && bytes > 0 && { memoryBytes: bytes }),
  };
}

function readLogin(field: Field | undefined, source: Source, report: Report): RegistryLogin | undefined {
  const text = (name: string) => textOf(childOf(field, name));
  const [written, username, personalAccessToken] = [text('registry'), text('username'), text('personalAccessToken')];
  if (!field || written === undefined || username === undefined || personalAccessToken === undefined) return undefined;
  const registry = written.replace(/^[a-z]+:\/\//i, '').replace(/(?<!\/)\/+$/, '');
  if (registry !== written && registry !== '') {
    const path = [...field.path, 'registry'];
    const fix = replaceValue(source, path, registry);
    report.warn(path, 'lenient-value', `${quote(written)} is read as ${excerpt(registry)}`, {
      hint: `write ${excerpt(registry)}`,
      fix,
    });
  }
  return { registry, username, personalAccessToken };
}

/** RFC 1035, with at least one dot. `localhost` and single words are not domains of users. */
const domain = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

function readDomain(field: Field | undefined, source: Source, report: Report): string | undefined {
  const written = textOf(field);
  if (!field || written === undefined || written.length > 2048) return undefined;
  const host = written
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[:/?#].*$/s, '')
    .replace(/\.$/, '');
  if (!domain.test(host)) {
    const hint = 'write a host such as shop.example.com, or leave it out';
    report.warn(field.path, 'bad-domain', `${quote(written)} is not a valid domain name and is ignored`, { hint });
    return undefined;
  }
  if (host !== written) {
    const fix = replaceValue(source, field.path, host);
    report.warn(field.path, 'lenient-value', `${quote(written)} is read as ${host}`, { hint: `write ${host}`, fix });
  }
  return host;
}

/** Chooses the port of a public pod whose document does not name one. Pure. */

/** Adds the port to the pod, with a warning. Other problems of the ports are already reported. */
function inferPort(pod: PodSpec, path: Path, checkedPort: string | undefined, report: Report): void {
  if (pod.path === undefined || pod.servicePorts.length > 0 || report.isBroken([...path, 'servicePorts'])) return;
  const own = readPort(pod.vars.PORT ?? '');
  const [port, from] =
    own !== undefined
      ? [own, 'the variable PORT']
      : checkedPort !== undefined
        ? [readPort(checkedPort), 'the health check']
        : [httpPortOf(pod.image), 'what the image is known for'];
  if (port === undefined) return;
  pod.servicePorts.push(port);
  const hint = `write "servicePorts: [${port}]"`;
  report.warn(path, 'inferred-port', `the pod has no "servicePorts": ${port} is taken from ${from}`, { hint });
}
