/** Checks routes: which pods are public, and that each route is unique. */
import { removeField, replaceValue } from '../document/edits.ts';
import { childOf, entriesOf, nearest } from '../document/tree.ts';
import { databaseOf, isRawTcp } from '../software/software.ts';
import { isAtOwnHost, maxStripped, type PodSpec, segmentsOf, subdomainOf } from '../spec/spec.ts';
import { readBuildSource } from '../values/build-source.ts';
import { type Context, type PodContext, repeated } from './context.ts';
import { looksLikeJob } from './job-checks.ts';

export function checkRoutes(context: Context): void {
  const { spec, origin, report } = context;
  const routes = spec.pods.map(({ path, subdomain }, index) =>
    // Routes without a path never conflict.
    path === undefined ? index : `${subdomain ?? ''} ${path}`,
  );
  for (const { index, first } of repeated(routes)) {
    const [one, other] = [spec.pods[first]!, spec.pods[index]!];
    report.error(
      [...origin.pod(index), 'path'],
      'duplicate-path',
      `the pods "${one.name}" and "${other.name}" have the same path "${other.path}"`,
      { hint: hintForTwo(one, other) },
    );
  }
  if (spec.url !== undefined) {
    const message = 'is added once the deployment is claimed, and takes effect once the domain is proven';
    const hint = 'claim the deployment; the dashboard and "berth domains" then say what to set in DNS';
    report.warn(['application', 'url'], 'custom-domain', message, { hint });
    checkSubdomains(context);
  }
}

/** Each name must be proven separately. Control of a name does not prove control of the names below it. */
function checkSubdomains({ spec, origin, report }: Context): void {
  const hosts = spec.pods.map((pod) => subdomainOf(spec, pod));
  for (const [index, { subdomain, name, path }] of spec.pods.entries()) {
    if (subdomain === undefined) continue;
    const at = [...origin.pod(index), 'subdomain'];
    const host = hosts[index];
    if (host === undefined) {
      const message = `the pod "${name}" has no path, so it cannot be reached at ${subdomain}.${spec.url}`;
      report.warn(at, 'custom-domain', message, { hint: 'add "path: /", or remove the subdomain' });
    } else if (hosts.indexOf(host) === index) {
      const isElsewhere = isAtOwnHost(spec.pods[index]!, spec);
      const until = isElsewhere ? '' : `; until then, visitors cannot reach ${path} of the pod "${name}"`;
      report.warn(
        at,
        'custom-domain',
        `${host} is a custom domain of its own like "url", to be proven by itself${until}`,
        {
          hint: 'the dashboard and "berth domains" say what to set in DNS for each',
        },
      );
    }
  }
}

/** Reported last: an error at the list of pods would hide the errors of every pod in it. */
export function checkIsPublic({ spec, origin, report }: Context): void {
  const isBroken = spec.pods.some((_, index) => report.isBroken([...origin.pod(index), 'path']));
  const isPublic = spec.pods.some(({ path, resourceType }) => path !== undefined && resourceType !== 'job');
  const onlyJobs = spec.pods.every(({ resourceType }) => resourceType === 'job');
  if (!isPublic && !onlyJobs && !isBroken && spec.pods.length > 0) {
    const hint = spec.pods.some(({ servicePorts }) => servicePorts.length > 0)
      ? 'add "path: /" to the pod that serves the application\'s pages'
      : 'a worker runs next to a pod with a "path" and a port; use "resourceType: job" for a pod that runs once';
    report.error(['application', 'pods'], 'no-public-path', "at least one pod must include the 'path' field", { hint });
  }
}

/** The service that looks like a back end gets the longer path. */
function hintForTwo(one: PodSpec, other: PodSpec): string {
  const backend = [one, other].find(({ name }) => /api|back|server|express|worker/.test(name)) ?? other;
  const internal = [one, other].find(({ image }) => databaseOf(image) !== undefined);
  return internal
    ? `remove the path of "${internal.name}": other pods reach it as ${internal.name}.pod`
    : `give "${backend.name}" its own path, such as /api, or no path if only other pods reach it`;
}

export function checkRoute(context: PodContext): void {
  const { pod, path, report, source, spec } = context;
  checkPorts(context);
  if (pod.subdomain !== undefined && spec.url === undefined && !report.isBroken(['application', 'url'])) {
    report.error([...path, 'subdomain'], 'subdomain-without-url', 'needs "url", the custom domain of the application');
  }
  checkOptions(context);
  if (pod.path === undefined) return;
  const at = [...path, 'path'];
  if (pod.path.includes('*')) {
    const plain = pod.path.replace(/\/?\*.*$/, '') || '/';
    const fix = replaceValue(source, at, plain);
    const hint = `write ${plain}: everything below it is included`;
    report.error(at, 'bad-value', `"${pod.path}" contains a star, which is not valid in an address`, { hint, fix });
  }
  if (pod.resourceType === 'job') {
    const message = 'a job has ended before visitors can reach its path';
    report.warn(at, 'path-on-job', message, { fix: removeField(source, at) });
  }
  const database = databaseOf(pod.image);
  if (database !== undefined && isRawTcp(database)) {
    const others = spec.pods.filter((other) => other !== pod && other.path !== undefined);
    const fix = others.length > 0 ? removeField(source, at) : undefined;
    report.warn(at, 'database-with-path', `${database} does not speak HTTP: browsers get no answer at ${pod.path}`, {
      hint: `remove the path: other pods reach it as ${pod.name}.pod`,
      fix,
    });
  }
}

function checkOptions({ pod, path, report }: PodContext): void {
  for (const option of ['stripPrefix', 'sticky'] as const) {
    if (!pod[option] || pod.path !== undefined) continue;
    const hint = 'add a "path", or remove the option';
    report.warn([...path, option], 'option-without-path', 'has no effect: the pod has no public path', { hint });
  }
  if (!pod.stripPrefix || segmentsOf(pod.path ?? '/') <= maxStripped || report.isBroken([...path, 'path'])) return;
  const hint = 'shorten the path, or remove stripPrefix';
  report.error([...path, 'stripPrefix'], 'bad-value', `is possible for a path of at most ${maxStripped} segments`, {
    hint,
  });
}

function checkPorts({ pod, path, report, source, spec }: PodContext): void {
  const { field } = nearest(source.root, path);
  if (report.isBroken([...path, 'servicePorts'])) return;
  const written = entriesOf(field).find(([key]) => key === 'servicePorts')?.[1].tree;
  if (written?.kind === 'list') {
    const ports = written.items.map((item) => (item.kind === 'scalar' ? item.text : ''));
    for (const { value, index } of repeated(ports)) {
      report.warn([...path, 'servicePorts', index], 'duplicate-port', `the port ${value} is there twice`);
    }
  }
  // The Dockerfile of a repository says its ports.
  if (pod.servicePorts.length > 0 || readBuildSource(childOf(field, 'build'))) return;
  if (pod.path !== undefined && pod.resourceType !== 'job') {
    const elsewhere = ['ports', 'port', 'expose', 'containerPort'].find((key) =>
      entriesOf(field).some(([own]) => own === key),
    );
    report.error([...path, 'path'], 'path-without-port', `the pod "${pod.name}" has a public path and no port`, {
      hint: elsewhere
        ? `write "servicePorts" instead of "${elsewhere}"`
        : 'add "servicePorts: [3000]" with the port it listens on',
    });
  } else if (pod.resourceType !== 'job' && !looksLikeJob(pod) && spec.pods.length > 0) {
    report.warn(
      path,
      'no-ports',
      `the pod "${pod.name}" has no ports: it runs as a worker, which accepts no connections`,
      {
        hint: 'add "servicePorts" if other pods connect to it, or "resourceType: job" if it ends',
      },
    );
  }
}
