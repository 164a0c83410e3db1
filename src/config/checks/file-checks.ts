/** Files and volumes: each at a path of its own, where a container can have it. */
import { excerpt, type Path } from '../diagnostics/diagnostics.ts';
import { databaseOf } from '../software/software.ts';
import type { FileSpec } from '../spec/spec.ts';
import { normalisePath } from '../values/container-paths.ts';
import { type Context, type PodContext, repeated } from './context.ts';

/** Folders of the kernel or of Docker. */
const reserved = /^\/(?:proc|sys|dev)(?:\/|$)|^\/(?:var\/)?run\/docker\.sock$/;

export function isReserved(path: string): boolean {
  return reserved.test(path);
}

export function checkFiles({ pod, index, path, origin, report }: PodContext): void {
  const paths = pod.files.map((file) => normalisePath(file.path));
  for (const { value, index: position } of repeated(paths)) {
    report.error(origin.file(index, position), 'duplicate-file', `the file "${excerpt(value)}" is there twice`, {
      hint: 'keep one of them, or give one another "mountPath" or "fileName"',
    });
  }
  const directories = new Set(paths.flatMap(parentsOf));
  const mounts = new Set(pod.volumes.map(({ mountPath }) => normalisePath(mountPath)));
  pod.files.forEach((file, position) => {
    const at = origin.file(index, position);
    const name = paths[position]!;
    if (file.path.split('/').includes('..')) {
      report.error(at, 'bad-file-path', `"${excerpt(file.path)}" must not hold ".."`);
    } else if (reserved.test(name)) {
      report.error(at, 'bad-file-path', `no file can be put at "${excerpt(name)}"`);
    } else if (directories.has(name)) {
      report.error(at, 'bad-file-path', `"${excerpt(name)}" is a file, and the directory of another one`);
    } else if (mounts.has(name)) {
      const hint = 'give one of them another path';
      report.error(at, 'file-on-volume', `a volume and a file are both at "${excerpt(name)}"`, { hint });
    }
    checkScript(file, name, { pod, at, report });
    if (file.isSecret && isEncoded(file.content)) {
      const hint = 'write the text itself, after "|" on the lines below';
      report.warn(at, 'encoded-secret', 'the content looks like base64, which is not decoded', { hint });
    }
  });
  for (const field of ['name', 'mountPath'] as const) {
    const values = pod.volumes.map((volume) => (field === 'name' ? volume.name : normalisePath(volume.mountPath)));
    for (const { value, index: position } of repeated(values)) {
      const message = `two volumes of the pod have the same ${field} "${excerpt(value)}"`;
      report.error([...path, 'volumes', position, field], 'duplicate-volume', message, { hint: 'keep one of them' });
    }
  }
  pod.volumes.forEach(({ mountPath }, position) => {
    if (mountPath !== '/' && !mountPath.split('/').includes('..') && !reserved.test(mountPath)) return;
    const message = `no volume can be mounted at "${excerpt(mountPath)}"`;
    report.error([...path, 'volumes', position, 'mountPath'], 'bad-mount-path', message);
  });
}

type Place = Pick<PodContext, 'pod' | 'report'> & { at: Path };

/** A script that is a file of the document, as its own interpreter and the kernel read it. */
function checkScript({ content, mode = '644' }: FileSpec, name: string, { pod, at, report }: Place): void {
  if (/^#![^\n]*\r\n/.test(content)) {
    const message = `the script "${excerpt(name)}" has Windows line endings (CRLF), and its interpreter is not found`;
    report.warn(at, 'windows-line-endings', message, { hint: 'save it with line endings of Unix (LF)' });
  }
  const [program] = pod.entrypoint ?? [];
  if (program === undefined || normalisePath(program) !== name || /[1357]/.test(mode)) return;
  const message = `the entrypoint "${excerpt(name)}" is a file that cannot be executed`;
  const hint = `write mode: "0755" on the file, or sh ${excerpt(name)} as the entrypoint`;
  report.warn(at, 'not-executable', message, { hint });
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1).slice(0, 64);
  return parts.map((_, length) => `/${parts.slice(0, length + 1).join('/')}`);
}

/** Returns whether the content is base64 of JSON or of a certificate. Some services require this encoding. */
function isEncoded(content: string): boolean {
  const text = content.trim();
  if (text.length < 24 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  // Both formats begin with ASCII, so bytes are characters.
  const decoded = atob(text).trim();
  return decoded.startsWith('-----BEGIN ') || (/^[[{]/.test(decoded) && isJson(decoded));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Invalid JSON is not base64-encoded JSON.
    return false;
  }
}

/** A volume that several processes write to is rarely what a database can bear. */
export function checkSharing({ pod, path, report }: PodContext): void {
  const database = databaseOf(pod.image);
  if (pod.replicas < 2 || pod.volumes.length === 0 || pod.resourceType !== 'deployment' || !database) return;
  report.warn(
    [...path, 'replicas'],
    'shared-data',
    `${pod.replicas} replicas of ${database} write to the same volume`,
    {
      hint: 'write "resourceType: statefulset": each replica then has its own, or "replicas: 1"',
    },
  );
}

/** In other formats, the same name means the same volume. */
export function checkSharedNames({ spec, origin, report }: Context): void {
  const owners = new Map<string, string>();
  checkJoinedNames({ spec, origin, report });
  spec.pods.forEach((pod, index) => {
    pod.volumes.forEach(({ name, isShared }, position) => {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, pod.name);
      else if (!isShared && owner !== pod.name && !/^(?:data|cache|tmp|logs|config|uploads?|storage|db)$/.test(name)) {
        const message = `the pods "${owner}" and "${pod.name}" have a volume "${name}" each, not the same one`;
        report.warn([...origin.pod(index), 'volumes', position], 'shared-data', message, {
          hint: 'write "shared: true" in both for one volume, or give them different names',
        });
      }
    });
  });
}

/** Volumes are stored under the names of pod and volume, joined by a hyphen: `a` with `b-c` and `a-b` with `c` are one. */
function checkJoinedNames({ spec, origin, report }: Pick<Context, 'spec' | 'origin' | 'report'>): void {
  const owners = new Map<string, string>();
  spec.pods.forEach(({ name: pod, replicas, resourceType, volumes }, index) => {
    volumes.forEach(({ name, isShared }, position) => {
      if (isShared) return;
      const names = [`${pod}-${name}`];
      if (resourceType === 'statefulset') {
        for (let replica = 1; replica < replicas; replica++) names.push(`${pod}-${replica}-${name}`);
      }
      const taken = names.find((joined) => (owners.get(joined) ?? pod) !== pod);
      for (const joined of names) if (!owners.has(joined)) owners.set(joined, pod);
      if (taken === undefined) return;
      const message = `the volume has the same stored name as one of the pod "${owners.get(taken)}": both are stored as "${taken}"`;
      const at = [...origin.pod(index), 'volumes', position, 'name'];
      report.error(at, 'ambiguous-name', message, { hint: 'give one of the two another name' });
    });
  });
}
