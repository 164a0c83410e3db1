/** The runtime of containers: the machine's own kernel (runc), or gVisor's user-space kernel (runsc). */
import type Docker from 'dockerode';

export type Runtime = 'runc' | 'runsc';

/** The engine's configuration of a runtime. Newer engines also have runtimes with a type instead of a path. */
export type KnownRuntime = { path?: string; runtimeArgs?: string[] | null };

/**
 * gVisor uses the container's network stack (which it calls the host's). Its own stack cannot reach the engine's
 * resolver at 127.0.0.11, through which pods find each other, and does not start on kernels newer than it supports
 * (seen on 6.18). Without an overlay, files that a container writes survive its restart, as with runc.
 */
export const gvisorArguments: readonly string[] = ['--platform=systrap', '--network=host', '--overlay2=none'];

/** Returns why pods cannot run with this runtime, and what to do about it. Undefined if they can. */
export async function findRuntimeProblem(docker: Docker, runtime: Runtime): Promise<string | undefined> {
  return runtimeProblem(runtime, await knownRuntimes(docker));
}

export async function knownRuntimes(docker: Docker): Promise<Record<string, KnownRuntime>> {
  const { Runtimes } = (await docker.info()) as { Runtimes?: Record<string, KnownRuntime> | null };
  return Runtimes ?? {};
}

/** PURE. */
export function runtimeProblem(runtime: Runtime, known: Record<string, KnownRuntime>): string | undefined {
  if (runtime === 'runc') return undefined;
  const found = known[runtime];
  const remedy =
    'docs/guides/isolate-with-gvisor.md says how to register it, and `BERTH_RUNTIME=runsc npm start` does it';
  if (!found) return `the container engine does not know the runtime ${runtime} (gVisor): ${remedy}`;
  if (found.path === undefined || sharesNetwork(found.runtimeArgs ?? [])) return undefined;
  return `the container engine starts ${runtime} with a network of gVisor's own, in which pods do not find each other by name: add "--network=host" to its runtimeArgs in daemon.json`;
}

/** Parses Go flags: one dash or two, with the value after `=` or as a separate word. The last one counts. */
function sharesNetwork(words: readonly string[]): boolean {
  const values = words.flatMap((word, index) => {
    const flag = /^--?network(?:=(.*))?$/.exec(word);
    return flag ? [flag[1] ?? words[index + 1]] : [];
  });
  return values.at(-1) === 'host';
}

/** The oldest versions of Docker, containerd and runc without a published way out of a container. */

/**
 * Programs by the engine's name for them, as of November 2026: the version with the fix in the oldest maintained
 * series.
 */
const supported: Record<string, { program: string; oldest: string; advisories: string }> = {
  Engine: { program: 'Docker', oldest: '29.5.1', advisories: 'https://github.com/moby/moby/security/advisories' },
  containerd: {
    program: 'containerd',
    oldest: '1.7.33',
    advisories: 'https://github.com/containerd/containerd/security/advisories',
  },
  runc: { program: 'runc', oldest: '1.3.6', advisories: 'https://github.com/opencontainers/runc/security/advisories' },
};

/** A program of the engine, as its version lists it. */
type Component = { Name: string; Version: string };

/** A sentence for each outdated program that makes containers of `runtime`. */
export async function findOutdatedPrograms(docker: Docker, runtime: Runtime): Promise<string[]> {
  const { Components, Version } = await docker.version();
  return outdatedPrograms(Components ?? [{ Name: 'Engine', Version }], runtime);
}

/**
 * PURE. Compares version numbers. A distribution may have fixed the same version. runc is not checked if gVisor creates
 * the containers.
 */
export function outdatedPrograms(components: readonly Component[], runtime: Runtime): string[] {
  return components.flatMap(({ Name, Version }) => {
    if (!Object.hasOwn(supported, Name) || (Name === 'runc' && runtime !== 'runc')) return [];
    const { program, oldest, advisories } = supported[Name]!;
    if (!isOlder(Version, oldest)) return [];
    return `${program} ${Version} is older than ${oldest}: containers may be able to reach this machine. Update it, unless your distribution has fixed this version. Advisories: ${advisories}`;
  });
}

/** Compares versions such as `v1.2.3+ds1`. Returns false if one of them has no number. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (!one || !other) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && one[at]! < other[at]!;
}
