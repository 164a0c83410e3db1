/** Debian packages: installed on the host only for what must run there (the engine and the proxy). */
import { run } from './commands.ts';
import { asRoot, type Host } from './host.ts';

const lockTimeoutSeconds = 300;
const aptGet = [
  'env',
  'DEBIAN_FRONTEND=noninteractive',
  // needrestart's question would wait for ever on Ubuntu.
  'NEEDRESTART_SUSPEND=1',
  'apt-get',
  '--quiet',
  '--yes',
  '--option',
  `DPkg::Lock::Timeout=${lockTimeoutSeconds}`,
] as const;

export async function installPackages(host: Host, packages: readonly string[]): Promise<void> {
  const install = asRoot(host, [...aptGet, 'install', '--no-install-recommends', ...packages]);
  if (await areKnown(packages)) {
    try {
      await run(install);
      return;
    } catch (error) {
      // Package lists older than the mirror name files that are gone: that, and only that, an update repairs.
      if (!/404|Unable to fetch|Failed to fetch/.test(String(error))) throw error;
    }
  }
  await updatePackageLists(host);
  await run(install);
}

export async function updatePackageLists(host: Host): Promise<void> {
  await run(asRoot(host, [...aptGet, 'update']));
}

/** Whether the package lists offer a version of each. A fresh container image has no lists at all. */
async function areKnown(packages: readonly string[]): Promise<boolean> {
  const policies = await policiesOf(packages);
  return packages.every((name) => candidateOf(policies, name) !== undefined);
}

export function policiesOf(packages: readonly string[]): Promise<string> {
  return run(['apt-cache', 'policy', ...packages], { env: { LC_ALL: 'C' } });
}

/** Reads the output of `apt-cache policy`: the version that an installation would bring. */
export function candidateOf(policies: string, name: string): string | undefined {
  const section = policies.split(/^(?=\S)/m).find((text) => text.startsWith(`${name}:\n`));
  const candidate = section?.match(/^ {2}Candidate: (.+)$/m)?.[1];
  return candidate === '(none)' ? undefined : candidate;
}
