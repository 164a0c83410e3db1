/**
 * Reads Compose files: a document with `services` becomes the same AppSpec as the native form. Features that a shared
 * host cannot support are errors with an alternative. `key-table.ts` contains the treatment of each key.
 */
import { checkSpec, type Judge } from '../checks/checks.ts';
import { type Diagnostic, listOf, quote } from '../diagnostics/diagnostics.ts';
import type { Source } from '../document/source.ts';
import { childOf, entriesOf, entryOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import { dataDirectory, needsDataDirectory } from '../software/postgres-data.ts';
import { type AppSpec, hasTest, type PodSpec } from '../spec/spec.ts';
import { openGenerated, type SecretUse } from '../variables/generated-secrets.ts';
import { readTopExtension, type TopExtension } from './berth-extension.ts';
import { toApplicationName, toPodNames } from './compose-names.ts';
import { isTrue, keyOf, openReading, type Reading } from './compose-reader.ts';
import { type Draft, warnOfPublishedAddresses } from './draft.ts';
import { resolveExtends } from './extends.ts';
import { applyTopLevelRules } from './key-rules.ts';
import { openFiles } from './mounted-files.ts';
import { asNativeSource, isOfCompose } from './native-checks.ts';
import { assignRoutes } from './route-assignment.ts';
import { secretUsesIn, serviceWithout } from './secret-uses.ts';
import { connect } from './service-dependencies.ts';
import { readService } from './service-draft.ts';
import { openVolumes } from './service-volumes.ts';

/** The maximum number of pods of an application. */
const maxServices = 50;

/**
 * Returns whether a document is a Compose file: it has `services`, or services at the top level as in the first
 * version.
 */
export function isCompose({ root }: Pick<Source, 'root'>): boolean {
  const document = { tree: root, path: [] };
  if (root.kind !== 'map' || root.entries.has('application')) return false;
  return root.entries.has('services') || isFirstForm(document);
}

/** Returns all problems, including those of the native form's rules. The spec is complete without errors. */
export function readCompose(source: Source, judge?: Judge): { spec: AppSpec | undefined; diagnostics: Diagnostic[] } {
  const document: Field = { tree: source.root, path: [] };
  const services = entryOf(document, 'services');
  const uses = services ? secretUsesIn(document, services) : new Map<string, SecretUse[]>();
  const reading = openReading(
    source.at,
    variablesOf(document),
    openGenerated((name) => uses.get(name) ?? []),
    (name) => services && serviceWithout(services, name),
  );
  if (!services) {
    const message = 'the top-level "services" is missing';
    const hint = 'begin with "services:", and indent the services below it';
    reading.error({ ...document, path: [] }, 'compose-without-services', message, hint);
    return { spec: undefined, diagnostics: reading.diagnostics() };
  }
  applyTopLevelRules(document, reading);
  const extension = readTopExtension(document, reading);
  const name = readName(document, reading);
  const { drafts, spec } = readApplication(document, services, extension, name, reading);
  const found = reading.diagnostics();
  if (!spec) return { spec, diagnostics: found };

  const native = asNativeSource(source, drafts, services);
  // An anchor shares one place between several services. Each problem there is reported once.
  const placeOf = ({ code, line, column }: Diagnostic) => `${code} ${line}:${column}`;
  const said = new Set(found.map(placeOf));
  const repeated = new Set<string>();
  const checked = checkSpec(spec, native.source, judge)
    .filter(isOfCompose)
    .map(native.translate)
    .filter((diagnostic) => {
      const { path, code } = diagnostic;
      // An unreadable value is reported once. An image without a tag counts as `latest`.
      if (reading.hasErrorAt(path) || said.has(placeOf(diagnostic))) return false;
      // A refused mount says where the data can be instead.
      const volumes = path.replace(/image$/, 'volumes');
      if (code === 'database-without-volume' && reading.hasErrorBelow(volumes)) return false;
      const id = `${placeOf(diagnostic)} ${diagnostic.message}`;
      if (repeated.has(id)) return false;
      repeated.add(id);
      return !reading.hasGathered(code === 'latest-image' ? 'image-without-tag' : code, diagnostic);
    });
  return { spec, diagnostics: [...found, ...checked] };
}

/** Returns the variables of `x-berth`, because the service has neither a shell nor an `.env` file. */
function variablesOf(document: Field): (name: string) => string | undefined {
  const vars = childOf(childOf(document, 'x-berth'), 'vars');
  return (name) => {
    const field = vars && entryOf(vars, name);
    return field?.tree.kind === 'scalar' ? field.tree.text : undefined;
  };
}

function readName(document: Field, reading: Reading): string {
  const field = childOf(document, 'name');
  const name = field ? reading.text(field)?.trim() : undefined;
  if (!field || !name) {
    const hint = 'write name: at the top; it is part of the address';
    const at = field ?? entryOf(document, 'services')!;
    reading.warn(keyOf(at), 'name-default', 'the application has no name and is called "app"', hint);
    return 'app';
  }
  const legal = toApplicationName(name);
  if (legal !== name) {
    const hint = 'names of applications are 3 to 64 lower-case letters, digits, dots and hyphens';
    reading.warn(field, 'renamed-application', `${quote(name)} is called "${legal}" here`, hint);
  }
  return legal;
}

function readApplication(
  document: Field,
  services: Field,
  extension: TopExtension,
  name: string,
  reading: Reading,
): { drafts: Draft[]; spec?: AppSpec } {
  const listed = entriesOf(services);
  if (listed.length === 0) {
    reading.error(
      keyOf(services),
      'no-services',
      'the document has no services',
      'write the services below "services:", each with an image',
    );
    return { drafts: [] };
  }
  const merged = resolveExtends(services, reading);
  const leftOut = new Map<string, string>();
  const run = [...merged].filter(([service, field]) => isRun(service, field, extension, leftOut, reading));
  if (run.length > maxServices) {
    const message = `there are ${run.length} services, and an application has at most ${maxServices}`;
    reading.error(keyOf(services), 'too-many-services', message, 'split it into several applications');
    return { drafts: [] };
  }
  if (run.length === 0) {
    const hint = 'remove the profiles, or write x-berth: { profiles: [NAME] } at the top';
    reading.error(keyOf(services), 'no-services', 'every service is left out', hint);
    return { drafts: [] };
  }
  const names = toPodNames(run.map(([service]) => service));
  const context = {
    reading,
    mountsOf: openVolumes(childOf(document, 'volumes'), reading),
    filesOf: openFiles(document, reading),
    isService: (name: string) => names.has(name),
  };
  const drafts = run.map(([service, field]) => {
    warnOfName(service, names.get(service)!, field, reading);
    return readService(service, names.get(service)!, field, context);
  });
  connect(drafts, leftOut, reading);
  for (const draft of drafts) finish(draft, drafts, reading);
  refuseExternalNetworks(
    document,
    run.map(([, field]) => field),
    reading,
  );
  assignRoutes(drafts, reading);
  for (const draft of drafts) if (mayEnd(draft)) draft.pod.container = { mayEnd: true, ...draft.pod.container };
  warnOfPublishedAddresses(drafts, reading);
  return { drafts, spec: assemble(name, drafts, extension, reading) };
}

/** Services in a profile run only when it is enabled; so has Compose it. */
function isRun(
  service: string,
  field: Field,
  { profiles }: TopExtension,
  leftOut: Map<string, string>,
  reading: Reading,
): boolean {
  if (field.tree.kind !== 'map' && !isEmpty(field)) {
    reading.error(
      field,
      'not-a-map',
      `the service "${service}" must be a map`,
      'write image: and the rest below its name',
    );
    return false;
  }
  const own = itemsOf(childOf(field, 'profiles')).map((item) => reading.text(item) ?? '');
  if (own.length > 0 && !own.some((profile) => profiles.includes(profile)) && !profiles.includes('*')) {
    const hint = `x-berth: { profiles: [${own[0]}] } at the top enables it`;
    reading.warn(
      keyOf(childOf(field, 'profiles')!),
      'left-out',
      `the service "${service}" is left out: it is in a profile`,
      hint,
    );
    leftOut.set(service, hint);
    return false;
  }
  const count = childOf(field, 'scale') ?? childOf(childOf(field, 'deploy'), 'replicas');
  if (count?.tree.kind === 'scalar' && reading.text(count)?.trim() === '0') {
    const hint = 'give it at least one replica to run it';
    reading.warn(count, 'left-out', `the service "${service}" is left out: it has no replicas`, hint);
    leftOut.set(service, hint);
    return false;
  }
  return true;
}

function warnOfName(service: string, podName: string, field: Field, reading: Reading): void {
  if (service === podName) return;
  const subject = `${quote(service)} is called "${podName}" here`;
  reading.gather(keyOf(field), 'renamed-service', 'document', subject, (renamed) => ({
    message: listOf(renamed),
    hint: 'each is still reached by its own name; names here are 2 to 63 lower-case letters, digits and hyphens',
  }));
}

/** Decisions that need all services. */
function finish({ service, pod, field, extension }: Draft, drafts: Draft[], reading: Reading): void {
  const isWorker = pod.servicePorts.length === 0 && !hasTest(pod.healthCheck) && pod.path === undefined;
  const isUndecided = pod.resourceType === 'deployment' && !extension.resourceType && drafts.length > 1;
  if (isUndecided && isWorker && endsItself(pod)) {
    pod.resourceType = 'job';
    const at = childOf(field, 'command') ?? childOf(field, 'entrypoint') ?? field;
    const hint = 'write x-berth: { resourceType: deployment } if it is to run all the time';
    reading.warn(at, 'taken-as-job', `the service "${service}" runs once, to its end`, hint);
  }
  if (needsDataDirectory(pod)) {
    pod.vars.PGDATA = dataDirectory;
    const at = childOf(field, 'volumes') ?? field;
    const hint = `nothing to do; PostgreSQL keeps its data in ${dataDirectory} (PGDATA), as it would not start otherwise`;
    reading.warn(at, 'volume-path', 'PostgreSQL 18 and newer expect the volume at /var/lib/postgresql', hint);
  }
}

/**
 * Only `always` and `unless-stopped` restart a service that exited with 0. Services with a public route, and services
 * that listen and do not set `restart`, are servers and are always restarted.
 */
function mayEnd({ pod, isRestartedWhenDone, isServer, extension }: Draft): boolean {
  if (extension.resourceType || pod.resourceType === 'job' || pod.path !== undefined) return false;
  return isRestartedWhenDone === undefined ? !isServer : !isRestartedWhenDone;
}

/** `… exit 0` at the end of a script: it has done its work then. */
function endsItself({ entrypoint = [], command = [] }: PodSpec): boolean {
  const last = [...entrypoint, ...command].at(-1) ?? '';
  return /(?:^|[\s;&])exit 0;?\s{0,9}$/.test(last.slice(-40));
}

/** All services share the network of the application. External networks cannot be joined. */
function refuseExternalNetworks(document: Field, services: Field[], reading: Reading): void {
  const used = new Set(
    services.flatMap((service) => {
      const networks = childOf(service, 'networks');
      return networks?.tree.kind === 'map'
        ? entriesOf(networks).map(([network]) => network)
        : itemsOf(networks).map((item) => reading.text(item) ?? '');
    }),
  );
  for (const [network, field] of entriesOf(childOf(document, 'networks'))) {
    const external = childOf(field, 'external');
    if (!external || !(external.tree.kind === 'map' || isTrue(reading, external))) continue;
    if (!used.has(network) && network !== 'default') continue;
    const message = `the network "${network}" is external, and containers outside of the application cannot be reached`;
    const hint = 'remove it: all services of an application share a network; public routes come from ports: or x-berth';
    reading.error(keyOf(external), 'external', message, hint);
  }
}

function assemble(name: string, drafts: Draft[], extension: TopExtension, reading: Reading): AppSpec {
  const url = extension.url ?? drafts.find((draft) => draft.extension.url)?.extension.url;
  const isDomain =
    url !== undefined && /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/.test(url.value);
  if (url && !isDomain)
    reading.error(url.field, 'bad-domain', `${quote(url.value)} is not a domain name`, 'for example shop.example.com');
  return {
    name,
    ...(url && isDomain && { url: url.value }),
    ...(extension.registryLogin && { registryLogin: extension.registryLogin }),
    ...(extension.sleep === false && { sleep: false }),
    pods: drafts.map(({ pod }) => pod),
  };
}

/** `web: { image: … }` at the top: Compose's form until 2015, or a forgotten `services:`. */
function isFirstForm(document: Field): boolean {
  const entries = entriesOf(document);
  const isKnown = entries.some(([key]) => /^(?:pods?|containers?|template|kind)$/.test(key));
  return (
    !isKnown &&
    entries.some(([, field]) => childOf(field, 'image') !== undefined || childOf(field, 'build') !== undefined)
  );
}
