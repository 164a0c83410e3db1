/** Converts one service to a draft of its pod. Parts that depend on other services are decided afterwards. */
import { excerpt, quote } from '../diagnostics/diagnostics.ts';
import { childOf, entriesOf, entryOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import { maxVarLength } from '../native/vars.ts';
import { readBuildSource } from '../values/build-source.ts';
import { splitWords } from '../values/shell-words.ts';
import { readExtension } from './berth-extension.ts';
import { isAlias, slugOf } from './compose-names.ts';
import { keyOf, pairsOf, type Reading } from './compose-reader.ts';
import { readContainer } from './container-keys.ts';
import { type Draft, Origins } from './draft.ts';
import { readHealthCheck } from './healthcheck.ts';
import { applyServiceRules } from './key-rules.ts';
import { knownImage, untaggedMessage } from './known-images.ts';
import type { MountedFile } from './mounted-files.ts';
import { readDependencies } from './service-dependencies.ts';
import { readPorts } from './service-ports.ts';
import { readScale } from './service-scale.ts';
import type { Mount } from './service-volumes.ts';

/** Fields of the native form that its rules mention, and the Compose keys that they come from. */
const containerKeys = [
  ['shmSize', 'shm_size'],
  ['tmpfs', 'tmpfs'],
  ['readOnly', 'read_only'],
] as const;

export type ServiceContext = {
  reading: Reading;
  mountsOf(service: Field): Mount[];
  filesOf(service: Field): MountedFile[];
  isService(name: string): boolean;
};

export function readService(service: string, podName: string, field: Field, context: ServiceContext): Draft {
  const { reading, mountsOf, filesOf } = context;
  const origins = new Origins();
  const from = (key: string, at: Field | undefined = entryOf(field, key)) => at && origins.set([key], at);

  applyServiceRules(field, reading);
  const image = readImage(service, field, reading);
  from('image', entryOf(field, 'image') ?? entryOf(field, 'build'));
  const known = knownImage(image);
  const extension = readExtension(field, reading);
  const ports = readPorts(field, reading);
  const scale = readScale(field, reading);
  for (const [path, at] of scale.resourcesAt) if (at) origins.set(path, at);
  const aliases = readAliases(service, podName, field, reading);
  const healthCheck = readHealthCheck(field, [service, podName, ...aliases], reading);
  from('healthCheck', childOf(field, 'healthcheck'));
  const entrypoint = readCommand(field, 'entrypoint', reading);
  const command = readCommand(field, 'command', reading);
  from('entrypoint');
  from('command');
  const vars = readEnvironment(field, origins, reading);
  const mounts = mountsOf(field);
  mounts.forEach((mount, index) => {
    origins.set(['volumes', index], mount.field);
  });
  const files = filesOf(field);
  for (const { field: at, file } of files) origins.set([file.isSecret ? 'secrets' : 'files'], at);
  for (const option of ['stripPrefix', 'sticky']) from(option, childOf(childOf(field, 'x-berth'), option));
  from('servicePorts', childOf(field, 'ports') ?? childOf(field, 'expose'));

  // Without a port, a running process would count as ready, so a database is checked on its known port.
  const isItself = entrypoint === undefined && startsServer(command);
  const isRequested = known && known.port > 0 && (extension.path?.value || (known.role === 'store' && isItself));
  const guessed = isRequested ? known.port : undefined;
  const listed = ports.map(({ port }) => port);
  const requested = healthCheck && 'port' in healthCheck ? healthCheck.port : guessed;
  const servicePorts = listed.length > 0 ? listed : [requested].filter((port) => port !== undefined);
  const container = readContainer(field, context.isService, reading);
  for (const [own, key] of containerKeys) from(own, childOf(field, key));
  const workingDir = textAt(field, 'working_dir', reading);
  const user = readUser(field, reading);
  if (workingDir && !workingDir.startsWith('/')) {
    const at = childOf(field, 'working_dir')!;
    reading.error(at, 'bad-path', `${quote(workingDir)} is not an absolute path`, 'begin it with a slash');
  }
  return {
    service,
    field,
    ports,
    isRestartedWhenDone: scale.isRestartedWhenDone,
    isServer: listed.length > 0 || guessed !== undefined,
    dependencies: readDependencies(field, reading),
    extension,
    origins,
    pod: {
      name: podName,
      image,
      servicePorts,
      vars,
      ...(entrypoint && { entrypoint }),
      ...(command && { command }),
      files: files.map(({ file }) => file),
      volumes: mounts.map(({ volume }) => volume),
      resourceType: extension.resourceType ?? (known?.role === 'task' ? 'job' : scale.mode),
      replicas: scale.replicas,
      resources: scale.resources,
      ...(healthCheck && { healthCheck }),
      useGPU: scale.useGPU,
      ...extension.options,
      ...(extension.subdomain !== undefined && { subdomain: extension.subdomain }),
      dependsOn: [],
      ...(aliases.length > 0 && { aliases }),
      ...(workingDir && { workingDir }),
      ...(user && { user }),
      ...(container && { container }),
    },
  };
}

function textAt(service: Field, key: string, reading: Reading): string | undefined {
  const field = childOf(service, key);
  return field && reading.text(field);
}

function readImage(service: string, field: Field, reading: Reading): string {
  const build = childOf(field, 'build');
  if (readBuildSource(build)) return `./${slugOf(service) || 'service'}:1`;
  const imageField = childOf(field, 'image');
  const image = imageField ? reading.text(imageField)?.trim() : undefined;
  if (!imageField || image === undefined || image === '') {
    const instead = 'build the image, push it to a registry, and write image: with its name and tag';
    const offer =
      'send the whole folder instead of this file: tar cz . | curl --data-binary @- <server>/startUserDeployment; or name its Git repository, in build: { source: { git: https://… } } or by curl --data-binary @compose.yaml -H "Content-Type: text/x-yaml" "<server>/startUserDeployment?git=https://…"; or build the image yourself and write image:';
    if (imageField) reading.error(imageField, 'missing-image', `the service "${service}" has no image`, instead);
    else if (build) {
      const message = `the service "${service}" has only "build", and this document does not contain its source`;
      reading.error(keyOf(build), 'build-without-image', message, offer);
    } else {
      reading.error(keyOf(field), 'missing-image', `the service "${service}" has no image`, 'write image: nginx:1.29');
    }
    return '';
  }
  if (build) {
    const message = '"build" is ignored: the image is pulled';
    reading.warn(keyOf(build), 'ignored', message, howToPush(image));
  }
  if (reading.isIncomplete(imageField)) {
    const hint = `write the image itself, or \${NAME:-default}, or give the variable a value under x-berth: { vars: … }`;
    reading.error(imageField, 'incomplete-image', 'a variable of the image has no value', hint);
  }
  // Compose reads `postgres` as `postgres:latest`. The port of a registry is not a tag.
  if (/[:@][^/]*$/.test(image) || !/[a-z0-9]$/.test(image)) return image;
  reading.gather(imageField, 'image-without-tag', 'document', excerpt(image), untaggedMessage);
  return `${image}:latest`;
}

/** A name without a slash is one of Docker Hub's official images, which users cannot push. */
function howToPush(image: string): string {
  const bare = image.replace(/[:@].*$/, '');
  return image.includes('/')
    ? `push ${quote(image)} first`
    : `${quote(bare)} alone is an image of Docker Hub: push yours under a name of your own, such as ghcr.io/OWNER/${excerpt(bare)}:1, and write that`;
}

/** A string is split like in Compose, without a shell. An empty string overrides the image's value. */
function readCommand(service: Field, key: 'command' | 'entrypoint', reading: Reading): string[] | undefined {
  const field = childOf(service, key);
  if (!field) return undefined;
  if (field.tree.kind !== 'scalar') return itemsOf(field).map((item) => reading.text(item) ?? '');
  const text = reading.text(field);
  if (text === undefined) return undefined;
  const words = splitWords(text);
  if (!words) reading.error(field, 'unclosed-quote', 'has a quote that is not closed', 'close it, or write a list');
  return words;
}

/** The maximum number of variables of a pod. */
const maxVars = 1000;

const servers =
  /(?:^|[\s/])(?:docker-entrypoint\.sh|postgres|mysqld|mariadbd|mongod|redis-server|valkey-server|memcached|rabbitmq-server|nats-server|etcd|redpanda|server|start)(?:\s|$)/;

/**
 * Returns whether a database image runs as a server. Such images are also used for backups and clients, which do not
 * listen.
 */
function startsServer(command: string[] | undefined): boolean {
  if (!command || command.length === 0 || command[0]!.startsWith('-')) return true;
  return servers.test(command.join(' ').slice(0, 10_000));
}

function readEnvironment(service: Field, origins: Origins, reading: Reading): Record<string, string> {
  const files = itemsOf(childOf(service, 'env_file'));
  for (const file of files) {
    const required = file.tree.kind === 'map' ? childOf(file, 'required') : undefined;
    const pathField = file.tree.kind === 'map' ? childOf(file, 'path') : file;
    const path = quote((pathField && reading.text(pathField)) ?? '');
    const message = `the variables of ${path} are not part of the document`;
    if (required && reading.text(required) === 'false') {
      reading.warn(file, 'env-file', `${message} and are left out`, 'write those that are needed under environment:');
    } else {
      reading.error(file, 'env-file', message, 'write them under environment: and remove env_file');
    }
  }
  const environment = childOf(service, 'environment');
  if (environment) origins.set(['vars'], environment);
  const count = environment?.tree.kind === 'map' ? environment.tree.entries.size : itemsOf(environment).length;
  if (environment && count > maxVars) {
    reading.error(
      environment,
      'bad-value',
      `holds ${count} variables, and at most ${maxVars} are possible`,
      'write them as a file, under configs with content',
    );
    return {};
  }
  return Object.fromEntries(
    pairsOf(reading, environment).flatMap(({ name, value, field }): [string, string][] => {
      origins.set(['vars', name], field);
      if (value === undefined && !/^[A-Za-z_][\w.-]*$/.test(name)) {
        const hint = `write NAME=${name === '' ? 'value' : excerpt(name)}`;
        reading.warn(field, 'bad-var-name', `${quote(name)} is not the name of a variable and is ignored`, hint);
        return [];
      }
      // A name without a value takes its value from the environment of Compose. Without one, it is not set.
      const text = value ?? reading.variable(field, name);
      return text === undefined || !isLegalVar(name, text, field, reading) ? [] : [[name, text]];
    }),
  );
}

function isLegalVar(name: string, text: string, field: Field, reading: Reading): boolean {
  if (name === '' || /[=\0]/.test(name)) {
    reading.error(
      field,
      'bad-var-name',
      `${quote(name)} cannot be the name of a variable`,
      'write NAME: value, or NAME=value',
    );
    return false;
  }
  if (!text.includes('\0') && text.length <= maxVarLength) return true;
  const problem = text.length > maxVarLength ? 'is longer than 128 KiB' : 'holds a NUL character';
  reading.error(
    field,
    'bad-var-value',
    `${problem}, and no program accepts that`,
    'write it as a file, under configs with content',
  );
  return false;
}

/** `1000:1000` or `node`. A variable without a value leaves `:` or an empty text, which is not a user. */
function readUser(service: Field, reading: Reading): string | undefined {
  const field = childOf(service, 'user');
  const user = field && reading.text(field)?.trim();
  if (!field || user === undefined || user === '') return undefined;
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]*(?::[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/.test(user)) return user;
  if (reading.isIncomplete(field)) {
    reading.warn(
      field,
      'ignored',
      '"user" has a variable without a value and is ignored',
      'write the user, for example "1000:1000"',
    );
  } else {
    reading.error(field, 'bad-user', `${quote(user)} is not a user`, 'for example node, or "1000:1000"');
  }
  return undefined;
}

/** Returns every name by which Compose would make the service reachable, except those that the pod has anyway. */
function readAliases(service: string, podName: string, field: Field, reading: Reading): string[] {
  const networks = childOf(field, 'networks');
  const perNetwork = entriesOf(networks).flatMap(([, network]) => {
    for (const key of ['ipv4_address', 'ipv6_address']) {
      const address = childOf(network, key);
      if (!address) continue;
      const hint = 'write the name of the service where its address is used';
      reading.warn(address, 'ignored', `"${key}" is ignored: addresses are given by the host`, hint);
    }
    return itemsOf(childOf(network, 'aliases'));
  });
  const own = ['container_name', 'hostname'].flatMap((key) => childOf(field, key) ?? []);
  const names = [...own, ...perNetwork].flatMap((at): string[] => {
    if (isEmpty(at)) return [];
    const name = reading.text(at);
    if (name === undefined || name === '') return [];
    if (isAlias(name)) return [name];
    reading.warn(
      at,
      'ignored',
      `${quote(name)} is not a host name and is ignored`,
      'write letters, digits and hyphens',
    );
    return [];
  });
  const needed = isAlias(service) ? [service, ...names] : names;
  return [...new Set(needed)].filter((name) => name !== podName);
}
