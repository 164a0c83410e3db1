/** Rules that no schema can say: about names that must differ, routes, images, references. Pure. */
import type { Diagnostic, Path } from './diagnostics.ts';
import { printPath } from './diagnostics.ts';
import { parseImageReference } from './image.ts';
import type { Source } from './source.ts';
import type { AppSpec, PodSpec } from './spec.ts';

type Report = (path: Path, code: string, message: string, hint?: string) => void;

/** All violations of a spec whose shape is right; `source` gives their places in the document. */
export function checkSpec(spec: AppSpec, source: Source): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const reportAs =
    (severity: Diagnostic['severity']): Report =>
    (path, code, message, hint) =>
      diagnostics.push({
        severity,
        code,
        path: printPath(path),
        ...source.place(path),
        message,
        ...(hint !== undefined && { hint }),
      });
  const report = reportAs('error');

  checkNames(spec, report);
  checkRoutes(spec, report);
  checkDependencies(spec, report);
  spec.pods.forEach((pod, index) => {
    const path = podPath(index);
    checkImage(pod, path, spec, report, reportAs('warning'));
    checkScriptlets(pod, path, report);
    checkFilesAndVolumes(pod, path, report);
    checkResources(pod, path, report);
    checkVars(pod, path, report);
  });
  checkDomains(spec, report, reportAs('warning'));
  return diagnostics;
}

const podPath = (index: number): Path => ['application', 'pods', index];

function checkNames({ pods }: AppSpec, report: Report): void {
  forEachRepeated(
    pods.map((pod) => pod.name),
    (name, index, first) =>
      report(
        [...podPath(index), 'name'],
        'duplicate-pod',
        `the pods ${first + 1} and ${index + 1} have the same name "${name}"`,
        'give each pod a name of its own',
      ),
  );
}

function checkRoutes({ pods }: AppSpec, report: Report): void {
  const routes = pods.map(({ path, subdomain }) => path && `${subdomain ?? ''} ${path}`);
  forEachRepeated(routes, (_, index, first) =>
    report(
      [...podPath(index), 'path'],
      'duplicate-path',
      `the pods "${pods[first]!.name}" and "${pods[index]!.name}" have the same path "${pods[index]!.path}"`,
      'give each public pod a path of its own, or remove the path of the internal one',
    ),
  );
  const isPublic = pods.some((pod) => pod.path !== undefined);
  const onlyJobs = pods.every((pod) => pod.resourceType === 'job');
  if (!isPublic && !onlyJobs) {
    report(
      ['application', 'pods'],
      'no-public-path',
      "at least one pod must include the 'path' field",
      'add "path: /" to the pod that serves the application\'s pages',
    );
  }
  pods.forEach((pod, index) => {
    if (pod.path !== undefined && pod.servicePorts.length === 0) {
      report(
        [...podPath(index), 'path'],
        'path-without-port',
        `the pod "${pod.name}" has a public path and no port`,
        'add "servicePorts: [3000]" with the port it listens on',
      );
    }
  });
}

function checkDependencies({ pods }: AppSpec, report: Report): void {
  const byName = new Map(pods.map((pod) => [pod.name, pod]));
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    (byName.get(from)?.dependsOn ?? []).some((next) => {
      if (next === goal) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  pods.forEach((pod, index) => {
    pod.dependsOn.forEach((name, position) => {
      const path = [...podPath(index), 'dependsOn', position];
      if (!byName.has(name)) {
        report(path, 'unknown-pod', `no pod is named "${name}"`, `the pods are ${[...byName.keys()].join(', ')}`);
      }
    });
    if (reaches(pod.name, pod.name, new Set())) {
      report(
        [...podPath(index), 'dependsOn'],
        'dependency-cycle',
        `the pod "${pod.name}" waits for itself`,
        'remove one of the dependencies of the circle',
      );
    }
  });
}

function checkImage(
  { name, image }: PodSpec,
  path: Path,
  { registryLogin }: AppSpec,
  report: Report,
  warn: Report,
): void {
  const at = [...path, 'image'];
  const reference = parseImageReference(image);
  if (reference.kind === 'placeholder') {
    report(at, 'image-placeholder', `pod "${name}": the image is a placeholder`, 'put the image that was built');
  } else if (reference.kind === 'invalid') {
    report(at, 'bad-image', `"${image}" is not an image reference`, `${reference.because}; for example nginx:1.29`);
  } else if (reference.kind === 'untagged') {
    report(at, 'image-without-tag', `the image "${image}" must include a tag`, 'for example nginx:1.29');
  } else if (reference.usesRegistry && !registryLogin) {
    warn(
      at,
      'registry-without-login',
      'uses <% REGISTRY %>, and the application has no registryLogin: the default registry is asked',
      'add "registryLogin", or write the registry\'s host',
    );
  }
}

const scriptletNames = new Set(['URL', 'DOMAIN', 'REGISTRY']);

function checkScriptlets(pod: PodSpec, path: Path, report: Report): void {
  const check = (text: string, at: Path) => {
    for (const [whole, name] of text.matchAll(/<%\s*([^%>]*?)\s*%>/g)) {
      if (scriptletNames.has(name!)) continue;
      report(
        at,
        'unknown-scriptlet',
        `"${whole}" is not known`,
        'known are <% URL %>, <% DOMAIN %> and <% REGISTRY %>',
      );
    }
  };
  for (const [name, value] of Object.entries(pod.vars)) check(value, [...path, 'vars', name]);
  check((pod.command ?? []).join(' '), [...path, 'command']);
  check((pod.entrypoint ?? []).join(' '), [...path, 'entrypoint']);
}

function checkFilesAndVolumes(pod: PodSpec, path: Path, report: Report): void {
  const fieldOf = (index: number) => (pod.files[index]!.isSecret ? 'secrets' : 'files');
  forEachRepeated(
    pod.files.map((file) => file.path),
    (file, index) =>
      report([...path, fieldOf(index)], 'duplicate-file', `the file "${file}" is there twice`, 'keep one of them'),
  );
  pod.files.forEach((file, index) => {
    if (file.path.split('/').includes('..')) {
      report([...path, fieldOf(index)], 'bad-file-path', `"${file.path}" must not hold ".."`);
    }
  });
  for (const field of ['name', 'mountPath'] as const) {
    forEachRepeated(
      pod.volumes.map((volume) => volume[field]),
      (value, index) =>
        report(
          [...path, 'volumes', index, field],
          'duplicate-volume',
          `two volumes of the pod have the same ${field} "${value}"`,
        ),
    );
  }
  pod.volumes.forEach((volume, index) => {
    if (volume.mountPath === '/' || volume.mountPath.split('/').includes('..')) {
      report([...path, 'volumes', index, 'mountPath'], 'bad-mount-path', `"${volume.mountPath}" cannot be a volume`);
    }
  });
}

function checkResources({ resources: { requests, limits } }: PodSpec, path: Path, report: Report): void {
  for (const field of ['cpuMillis', 'memoryBytes'] as const) {
    const name = field === 'cpuMillis' ? 'cpu' : 'memory';
    const limit = limits[field];
    const request = requests[field];
    if (limit !== undefined && request !== undefined && limit < request) {
      report([...path, 'resources', 'limits', name], 'limit-below-request', 'the limit is below the request');
    }
  }
}

function checkVars({ vars }: PodSpec, path: Path, report: Report): void {
  for (const [name, value] of Object.entries(vars)) {
    if (name === '' || /[=\0]/.test(name)) {
      report([...path, 'vars'], 'bad-var-name', `${JSON.stringify(name)} cannot be the name of a variable`);
    } else if (value.includes('\0')) {
      report([...path, 'vars', name], 'bad-var-value', 'holds a NUL character');
    }
  }
}

function checkDomains({ url, pods }: AppSpec, report: Report, warn: Report): void {
  if (url !== undefined) {
    warn(
      ['application', 'url'],
      'custom-domain',
      'takes effect only after the deployment is claimed and the domain proven',
    );
  }
  pods.forEach((pod, index) => {
    if (pod.subdomain !== undefined && url === undefined) {
      report([...podPath(index), 'subdomain'], 'subdomain-without-url', 'needs "url" of the application');
    }
  });
}

function forEachRepeated(
  values: (string | undefined)[],
  report: (value: string, index: number, first: number) => void,
): void {
  values.forEach((value, index) => {
    const first = values.indexOf(value);
    if (value !== undefined && first < index) report(value, index, first);
  });
}
