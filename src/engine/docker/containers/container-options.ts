/**
 * PURE. Translates the container options of a configuration into Docker's. They add to the hardening and never weaken
 * it.
 */
import { posix } from 'node:path';
import type { HostConfig } from 'dockerode';
import type { ContainerOptions, TmpfsSpec } from '../../../config/spec/spec.ts';

/** `memoryBytes`: the limit, which what lies in memory counts towards. */
export function withOptions(
  base: HostConfig,
  options: ContainerOptions,
  {
    memoryBytes,
    mountPaths,
    hosts: known,
  }: { memoryBytes: number; mountPaths: string[]; hosts?: ReadonlyMap<string, string> | undefined },
): HostConfig {
  const { shmBytes, readOnly, ulimits = {}, groups, extraHosts = {}, sysctls } = options;
  const inMemory = directoriesInMemory(options, mountPaths);
  // A configuration's own words come first; two lines of one name would both hold.
  const hosts = Object.entries({ ...Object.fromEntries(known ?? []), ...extraHosts });
  const own = new Set(Object.keys(ulimits));
  return {
    ...base,
    ...(shmBytes !== undefined && { ShmSize: Math.min(shmBytes, memoryBytes) }),
    ...(inMemory.length > 0 && {
      Tmpfs: Object.fromEntries(inMemory.map((directory) => [directory.mountPath, mountWords(directory, memoryBytes)])),
    }),
    ...(readOnly && { ReadonlyRootfs: true }),
    ...(groups && { GroupAdd: groups }),
    ...(hosts.length > 0 && { ExtraHosts: hosts.map(([name, address]) => `${name}:${address}`) }),
    Ulimits: [
      ...(base.Ulimits ?? []).filter(({ Name }) => Name === undefined || !own.has(Name)),
      ...Object.entries(ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    ],
    Sysctls: { ...base.Sysctls, ...sysctls },
  };
}

/** With `/tmp` where nothing else can be written: hardly a program runs without it. */
export function directoriesInMemory(
  { tmpfs = [], readOnly }: ContainerOptions,
  mountPaths: readonly string[],
): TmpfsSpec[] {
  const taken = [...mountPaths, ...tmpfs.map(({ mountPath }) => mountPath)].map((path) => posix.resolve('/', path));
  return readOnly && !taken.includes('/tmp') ? [...tmpfs, { mountPath: '/tmp' }] : tmpfs;
}

/** Without a size of its own a directory would take half of the machine's memory, before its pod is killed for it. */
function mountWords({ sizeBytes, mode = '1777', user, group, isExecutable }: TmpfsSpec, memoryBytes: number): string {
  const size = Math.min(sizeBytes ?? Math.floor(memoryBytes / 2), memoryBytes);
  return [
    ...['rw', 'nosuid', 'nodev', isExecutable ? 'exec' : 'noexec', `size=${size}`, `mode=${mode}`],
    ...(user === undefined ? [] : [`uid=${user}`]),
    ...(group === undefined ? [] : [`gid=${group}`]),
  ].join(',');
}
