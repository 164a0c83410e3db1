/** Known ways out of a container, by the versions of what makes containers: Docker, containerd and runc. */
import type Docker from 'dockerode';
import type { Runtime } from './runtime.ts';

/** One program that the engine names in its version. */
export type Component = { Name: string; Version: string };

/** What the installed version of a program lets out. */
export type KnownEscapes = { program: string; version: string; escapes: readonly Escape[] };

type Escape = {
  names: string[];
  /** The first version that has it; absent: all before the first fix. */
  since?: string;
  /** The first fixed version of each series that has one, the newest last; later series are fixed from the beginning. */
  fixed: string[];
  /** What it takes beyond an image or a command of a stranger's. */
  takes?: string;
};

const runningCopy = 'takes files copied into a container that runs; Berth copies before the start';
const kubernetes = "by Kubernetes' interface (CRI), which Docker does not use";

/**
 * By the name that the engine has for each program. From the projects' advisories and changelogs, and the records at
 * cve.org, as of November 2026. Only what leads out of a container or to the machine's files.
 */
const known: Record<string, { program: string; escapes: Escape[] }> = {
  Engine: {
    program: 'Docker',
    escapes: [
      { names: ['CVE-2018-15664'], fixed: ['18.09.7'], takes: runningCopy },
      { names: ['CVE-2019-14271'], since: '19.03.0', fixed: ['19.03.1'] },
      { names: ['CVE-2026-41567'], fixed: ['29.5.1'], takes: 'takes a compressed archive; Berth sends none' },
      { names: ['CVE-2026-41568', 'CVE-2026-42306'], fixed: ['29.5.1'], takes: runningCopy },
    ],
  },
  containerd: {
    program: 'containerd',
    escapes: [
      {
        names: ['CVE-2020-15257'],
        fixed: ['1.3.9', '1.4.3'],
        takes: "takes the machine's own network; no container of Berth's has it",
      },
      { names: ['CVE-2022-23648'], fixed: ['1.4.13', '1.5.10', '1.6.1'], takes: kubernetes },
      { names: ['CVE-2025-47290'], since: '2.1.0', fixed: ['2.1.1'] },
      { names: ['CVE-2026-53488'], fixed: ['1.7.33', '2.0.10', '2.1.9', '2.2.5', '2.3.2'], takes: kubernetes },
      { names: ['CVE-2026-53492'], since: '2.1.0', fixed: ['2.1.9', '2.2.5', '2.3.2'], takes: kubernetes },
    ],
  },
  runc: {
    program: 'runc',
    escapes: [
      { names: ['CVE-2019-5736'], fixed: ['1.0.0-rc7'] },
      { names: ['CVE-2021-30465'], fixed: ['1.0.0-rc95'] },
      { names: ['CVE-2024-21626'], since: '1.0.0-rc93', fixed: ['1.1.12'] },
      { names: ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'], fixed: ['1.2.8', '1.3.3', '1.4.0-rc.3'] },
      { names: ['CVE-2026-41579'], fixed: ['1.3.6', '1.4.3', '1.5.0-rc.3'] },
    ],
  },
};

/** Those of the engine's programs by which containers of `runtime` are made. */
export async function findKnownEscapes(docker: Docker, runtime: Runtime): Promise<KnownEscapes[]> {
  const { Components, Version } = await docker.version();
  return knownEscapes(Components ?? [{ Name: 'Engine', Version }], runtime);
}

/** PURE. By their numbers alone: what a distribution has mended under the same number is still among them. */
export function knownEscapes(components: readonly Component[], runtime: Runtime): KnownEscapes[] {
  return components.flatMap(({ Name, Version: version }) => {
    // gVisor's containers are not made by runc.
    if (!Object.hasOwn(known, Name) || (Name === 'runc' && runtime !== 'runc')) return [];
    const { program, escapes } = known[Name]!;
    const found = escapes.filter((each) => has(version, each));
    return found.length === 0 ? [] : [{ program, version, escapes: found }];
  });
}

/** PURE. One sentence for whoever operates the machine. */
export function escapeWords({ program, version, escapes }: KnownEscapes): string {
  const list = escapes.map(({ names, fixed, takes }) => {
    const limit = takes === undefined ? '' : `; ${takes}`;
    return `${names.join(', ')} (fixed in ${fixed.join(', ')}${limit})`;
  });
  return `${program} ${version} has known ways out of a container: ${list.join(', ')}. Update it, unless your distribution has mended it under this number, as its security tracker tells`;
}

function has(version: string, { since, fixed }: Escape): boolean {
  const place = placeOf(version);
  if (!place || (since !== undefined && compare(place, placeOf(since)!) < 0)) return false;
  const fixes = fixed.map((fix) => placeOf(fix)!);
  const isFixed = fixes.some(
    (fix, index) => compare(place, fix) >= 0 && (index === fixes.length - 1 || isOfSeries(place, fix)),
  );
  return !isFixed;
}

const stages = ['alpha', 'beta', 'rc'];

/** `1.4.0-rc.3+ds1` → major, minor, patch, stage, number of that stage. What follows is a distribution's. */
function placeOf(version: string): number[] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-~](alpha|beta|rc)\.?(\d+))?/.exec(version);
  if (!match) return undefined;
  const [, major, minor, patch, stage, number = 0] = match;
  return [Number(major), Number(minor), Number(patch), stage ? stages.indexOf(stage) : stages.length, Number(number)];
}

function isOfSeries(place: number[], other: number[]): boolean {
  return place[0] === other[0] && place[1] === other[1];
}

function compare(place: number[], other: number[]): number {
  const at = place.findIndex((part, index) => part !== other[index]);
  return at === -1 ? 0 : place[at]! - other[at]!;
}
