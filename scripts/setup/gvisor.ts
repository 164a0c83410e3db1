/** Installs gVisor (`runsc`) if it is missing. Only if the operator uses it for pods, and for tests. */
import { readFile } from 'node:fs/promises';
import { type Announce, SetUpError } from './announce.ts';
import { installPackages, updatePackageLists, versionsOf } from './apt.ts';
import { addBackports, removeBackports } from './backports.ts';
import { findProgram, run } from './commands.ts';
import type { Host } from './host.ts';

/** The oldest tested release. A release of 2022 traces every system call with ptrace, and fails the engine contract. */
const oldestRelease = 20240729;

const manual = 'https://gvisor.dev/docs/user_guide/install/';

/** Returns the path of the program. Throws `SetUpError` if it cannot be installed. */
export async function provideGvisor(host: Host, announce: Announce): Promise<string> {
  const present = await findProgram('runsc');
  if (present) {
    const release = releaseOf(await run([present, '--version']));
    // A build without a date is a custom build, which is accepted.
    if (release === undefined || release >= oldestRelease) return present;
  }
  if (!host.isDebianLike || host.privilege === 'none') throw cannotInstall(present, host);
  await announce('Installing runsc (gVisor) from apt (about 10 s)', () => install(host));
  const installed = await findProgram('runsc');
  if (!installed) throw new SetUpError('runsc (gVisor) was installed, and is not to be found.');
  return installed;
}

function cannotInstall(present: string | undefined, { isDebianLike }: Host): SetUpError {
  const problem = present ? `${present} (gVisor) is older than ${oldestRelease}.` : 'runsc (gVisor) is not installed.';
  return new SetUpError(
    `${problem} Install one (${isDebianLike ? 'as root: Debian has the package runsc; or ' : ''}${manual}) and repeat the command.`,
  );
}

async function install(host: Host): Promise<void> {
  let versions = await versionsOf('runsc');
  if (versions.length === 0) {
    // A fresh machine has no package lists at all.
    await updatePackageLists(host);
    versions = await versionsOf('runsc');
  }
  let version = newestOf(versions);
  if (version) return installPackages(host, [`runsc=${version}`]);
  const added = await addBackports(host, await readFile('/etc/os-release', 'utf8'));
  version = newestOf(await versionsOf('runsc'));
  if (version) return installPackages(host, [`runsc=${version}`]);
  if (added) await removeBackports(host);
  throw new SetUpError(
    `The package servers of this machine have no gVisor (runsc) of ${oldestRelease} or newer, nor have its backports where ` +
      `there are any. Install one (${manual}) and repeat the command.`,
  );
}

/** PURE. The newest that will do; apt names the newest first. */
export function newestOf(versions: readonly string[]): string | undefined {
  return versions.find((version) => (releaseOf(version) ?? 0) >= oldestRelease);
}

/** PURE. The date in `runsc version release-20240729.0`, or in Debian's `0.0~20240729.0-4~bpo12+2`. */
export function releaseOf(version: string): number | undefined {
  const date = /\b(20\d{6})\b/.exec(version)?.[1];
  return date ? Number(date) : undefined;
}
