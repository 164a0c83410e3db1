/** Unknown fields: explains names of other formats, and corrects typos. Pure. */
import type { Path } from '../diagnostics/diagnostics.ts';
import type { Advice } from '../diagnostics/report.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { renameKey } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { nearest, type Tree } from '../document/tree.ts';
import { buildHint } from './missing-fields.ts';

type Meaning = {
  /** The field that does the same here. */
  field?: string | undefined;
  /** Whether its value can stay as it is. */
  fits?: (value: Tree) => boolean;
  hint?: string;
};

const isScalar = (value: Tree) => value.kind === 'scalar';
const isListOf = (fits: (value: Tree) => boolean) => (value: Tree) => value.kind === 'list' && value.items.every(fits);
const isPort = (value: Tree) => value.kind === 'scalar' && Number.isInteger(value.value);
const isMapOfScalars = (value: Tree) =>
  value.kind === 'map' && [...value.entries.values()].every((entry) => entry.value.kind === 'scalar');

const variables: Meaning = { field: 'vars', fits: isMapOfScalars };
const ports: Meaning = { field: 'servicePorts', fits: isListOf(isPort) };
const check: Meaning = { field: 'healthCheck', hint: 'write "healthCheck: { path: /healthz, port: 3000 }"' };
const build: Meaning = { hint: buildHint };

/** Fields of other formats that users write in a pod. */
const podMeanings: Record<string, Meaning> = {
  env: variables,
  environment: variables,
  envVars: variables,
  variables,
  port: ports,
  ports,
  containerPort: ports,
  containerPorts: ports,
  expose: ports,
  servicePort: ports,
  args: { field: 'command', fits: isListOf(isScalar) },
  cmd: { field: 'command', fits: (value) => isScalar(value) || isListOf(isScalar)(value) },
  depends_on: { field: 'dependsOn', fits: isListOf(isScalar) },
  scale: { field: 'replicas', fits: isPort },
  type: { field: 'resourceType' },
  kind: { field: 'resourceType' },
  tag: { field: 'image', fits: isScalar },
  route: { field: 'path', fits: isScalar },
  mounts: { field: 'volumes' },
  volumeMounts: { field: 'volumes' },
  configFiles: { field: 'files' },
  healthcheck: check,
  readinessProbe: check,
  livenessProbe: check,
  startupProbe: check,
  probe: check,
  gpu: { field: 'useGPU', fits: isScalar },
  working_dir: { field: 'workingDir', fits: isScalar },
  workdir: { field: 'workingDir', fits: isScalar },
  dockerfile: build,
  context: build,
  envFile: { hint: 'the document cannot refer to other files: write the variables in "vars"' },
  env_file: { hint: 'the document cannot refer to other files: write the variables in "vars"' },
  shm_size: { field: 'shmSize', fits: isScalar },
  stop_grace_period: { field: 'stopGraceSeconds' },
  group_add: { field: 'groups', fits: isListOf(isScalar) },
  securityContext: { hint: 'write "user" and "readOnly" in the pod' },
  restart: {
    hint: 'a pod that ends is restarted; with "mayEnd: true" only after a failure, and "resourceType: job" runs once',
  },
  url: { hint: '"url" belongs to the application' },
};

const volumeMeanings: Record<string, Meaning> = {
  path: { field: 'mountPath', fits: isScalar },
  mount: { field: 'mountPath', fits: isScalar },
  target: { field: 'mountPath', fits: isScalar },
  storage: { field: 'size', fits: isScalar },
  capacity: { field: 'size', fits: isScalar },
  hostPath: { hint: 'directories of the machine cannot be mounted' },
  source: { hint: 'directories of the machine cannot be mounted' },
};

const fileMeanings: Record<string, Meaning> = {
  data: { field: 'content', fits: isScalar },
  mountPath: { field: 'path', fits: isScalar },
  target: { field: 'path', fits: isScalar },
};

const secretMeanings: Record<string, Meaning> = {
  content: { field: 'data', fits: isScalar },
  value: { field: 'data', fits: isScalar },
  path: { field: 'mountPath', fits: isScalar },
};

const loginMeanings: Record<string, Meaning> = {
  password: { field: 'personalAccessToken', fits: isScalar },
  token: { field: 'personalAccessToken', fits: isScalar },
  host: { field: 'registry', fits: isScalar },
  server: { field: 'registry', fits: isScalar },
  user: { field: 'username', fits: isScalar },
};

const applicationMeanings: Record<string, Meaning> = {
  services: { field: 'pods' },
  containers: { field: 'pods' },
  domain: { field: 'url', fits: isScalar },
  vars: { hint: 'variables belong to a pod' },
  env: { hint: 'variables belong to a pod, in "vars"' },
};

/** Returns advice on the unknown field `name` of the map at `path`, whose known fields are `known`. */
export function adviseOn(source: Source, path: Path, name: string, known: readonly string[]): Advice {
  const parent = nearest(source.root, path).field.tree;
  const value = parent.kind === 'map' ? parent.entries.get(name)?.value : undefined;
  const meanings = meaningsAt(path);
  // `constructor` is a key like any other.
  const familiar = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
  const meaning: Meaning = familiar ?? { field: nearestName(name, known) };
  if (meaning.hint) return { key: name, hint: meaning.hint };
  if (!meaning.field) return { key: name };
  const isFree = parent.kind === 'map' && !parent.entries.has(meaning.field);
  const fits = value && (meaning.fits ?? hasFormOf(meaning.field))(value);
  const fix = isFree && fits ? renameKey(source, [...path, name], meaning.field) : undefined;
  return { key: name, hint: `did you mean "${meaning.field}"?`, fix };
}

function meaningsAt(path: Path): Record<string, Meaning> {
  const last = path.filter((segment) => typeof segment === 'string').at(-1);
  switch (last) {
    case 'pods':
      return podMeanings;
    case 'volumes':
      return volumeMeanings;
    case 'files':
      return fileMeanings;
    case 'secrets':
      return secretMeanings;
    case 'registryLogin':
      return loginMeanings;
    case 'application':
      return applicationMeanings;
    default:
      return {};
  }
}

const lists = new Set([
  'pods',
  'servicePorts',
  'secrets',
  'files',
  'volumes',
  'dependsOn',
  'restartsWith',
  'aliases',
  'tmpfs',
  'groups',
]);
const maps = new Set([
  'application',
  'registryLogin',
  'resources',
  'requests',
  'limits',
  'healthCheck',
  'ulimits',
  'extraHosts',
  'sysctls',
]);

/** A slip of a name is renamed only when the value has the form that the field wants. */
function hasFormOf(field: string): (value: Tree) => boolean {
  return (value) => {
    const { kind } = value;
    if (field === 'servicePorts') return isListOf(isPort)(value);
    if (field === 'vars') return kind !== 'scalar';
    if (field === 'command' || field === 'entrypoint') return kind !== 'map';
    return kind === (lists.has(field) ? 'list' : maps.has(field) ? 'map' : 'scalar');
  };
}
