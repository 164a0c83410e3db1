/** Debian packages: installed on the host only for what must run there (the engine and the proxy). */
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './commands.ts';
import { asRoot, type Host } from './host.ts';
import { setUpMark } from './installed-packages.ts';

const lockTimeoutSeconds = 300;
const aptGet = [
  'env',
  'DEBIAN_FRONTEND=noninteractive',
  // needrestart's question would wait for ever on Ubuntu.
  'NEEDRESTART_SUSPEND=1',
  // The output is parsed here.
  'LC_ALL=C',
  'apt-get',
  '--quiet',
  '--yes',
  '--option',
  `DPkg::Lock::Timeout=${lockTimeoutSeconds}`,
] as const;

/** A package by its name, or one version of it: `name=version`. */
export async function installPackages(host: Host, packages: readonly string[]): Promise<void> {
  const marked = [...aptGet, '--option', setUpMark] as const;
  const install = asRoot(host, [...marked, 'install', '--no-install-recommends', ...packages]);
  if (await areKnown(packages)) {
    try {
      await run(install);
      return;
    } catch (error) {
      // Package lists older than the mirror name removed files. Only an update repairs this error, and it repairs no
      // other.
      if (!/404|Unable to fetch|Failed to fetch/.test(String(error))) throw error;
    }
  }
  await updatePackageLists(host);
  await run(install);
}

/** Removes packages with their configuration, and the dependencies that nothing else needs. */
export async function removePackages(host: Host, packages: readonly string[]): Promise<void> {
  await run(asRoot(host, [...aptGet, 'purge', '--auto-remove', ...packages]));
}

/** `only`: the file of the only source whose lists are updated. Other lists are not changed. */
export async function updatePackageLists(host: Host, only?: string): Promise<void> {
  const options = only ? [`Dir::Etc::sourcelist=${only}`, 'Dir::Etc::sourceparts=-', 'APT::Get::List-Cleanup=0'] : [];
  const update = asRoot(host, [...aptGet, ...options.flatMap((option) => ['--option', option]), 'update']);
  await waitForLocks(() => run(update));
}

/**
 * Retries once a second while another process has a lock. `apt-get update` does not wait for locks, with any option
 * (2.6), and a freshly started machine updates its lists automatically.
 */
export async function waitForLocks<T>(work: () => Promise<T>, wait = () => pause(1_000)): Promise<T> {
  for (let seconds = 0; ; seconds++) {
    try {
      return await work();
    } catch (error) {
      if (seconds >= lockTimeoutSeconds || !/Could not get lock/.test(String(error))) throw error;
    }
    await wait();
  }
}

/** Returns whether the package lists offer a version of each package. A fresh container image has no lists. */
async function areKnown(packages: readonly string[]): Promise<boolean> {
  const names = packages.map((name) => name.replace(/=.*/, ''));
  const policies = await policiesOf(names);
  return names.every((name) => candidateOf(policies, name) !== undefined);
}

export function policiesOf(packages: readonly string[]): Promise<string> {
  return run(['apt-cache', 'policy', ...packages], { env: { LC_ALL: 'C' } });
}

/** Reads the output of `apt-cache policy`: the version that would be installed. */
export function candidateOf(policies: string, name: string): string | undefined {
  const section = policies.split(/^(?=\S)/m).find((text) => text.startsWith(`${name}:\n`));
  const candidate = section?.match(/^ {2}Candidate: (.+)$/m)?.[1];
  return candidate === '(none)' ? undefined : candidate;
}

/** All versions of a package that the package lists offer, the newest first. */
export async function versionsOf(name: string): Promise<string[]> {
  return versionsIn(await run(['apt-cache', 'madison', name], { env: { LC_ALL: 'C' } }));
}

/** PURE. Reads the output of `apt-cache madison`: ` name | version | source` in each line. */
export function versionsIn(table: string): string[] {
  return table.split('\n').flatMap((line) => line.split('|')[1]?.trim() ?? []);
}
