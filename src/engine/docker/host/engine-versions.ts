/** The oldest versions of Docker, containerd and runc without a published way out of a container. */
import type Docker from 'dockerode';
import type { Runtime } from './runtime.ts';

/** By the engine's name for each program, as of November 2026: the fix in the oldest series that its project maintains. */
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

/** PURE. Goes by version numbers: a distribution may have fixed the same number. Runc makes no gVisor containers. */
export function outdatedPrograms(components: readonly Component[], runtime: Runtime): string[] {
  return components.flatMap(({ Name, Version }) => {
    if (!Object.hasOwn(supported, Name) || (Name === 'runc' && runtime !== 'runc')) return [];
    const { program, oldest, advisories } = supported[Name]!;
    if (!isOlder(Version, oldest)) return [];
    return `${program} ${Version} is older than ${oldest}: containers may be able to reach this machine. Update it, unless your distribution has fixed this version. Advisories: ${advisories}`;
  });
}

/** Of versions such as `v1.2.3+ds1`; false if one has no number. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (!one || !other) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && one[at]! < other[at]!;
}
