/** Installs Chromium for the tests of the dashboard. */
import { type Announce, SetUpError } from './announce.ts';
import { candidateOf, installPackages, policiesOf, updatePackageLists } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

/** The first is Chromium without windows: tests of the dashboard use a third less processor time in it (measured). */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Debian has both packages. Ubuntu has only the second. */
const packages = ['chromium-headless-shell', 'chromium'];

export async function provideBrowser(host: Host, announce: Announce): Promise<void> {
  if (await findBrowser()) return;
  if (!host.isDebianLike || host.privilege === 'none') {
    throw new SetUpError(
      'Chromium is not installed, and the tests of the dashboard need it. Install it and repeat the command.',
    );
  }
  // A fresh machine has no package lists at all.
  if ((await offeredPackage()) === undefined) await updatePackageLists(host);
  const wanted = (await offeredPackage()) ?? 'chromium';
  // Installed with a font, because a machine without a desktop has none.
  await announce(`Installing ${wanted}, fonts-dejavu-core from apt (about 40 s)`, () =>
    installPackages(host, [wanted, 'fonts-dejavu-core']),
  );
}

async function offeredPackage(): Promise<string | undefined> {
  const policies = await policiesOf(packages);
  return packages.find((name) => candidateOf(policies, name) !== undefined);
}

export async function findBrowser(): Promise<string | undefined> {
  for (const program of programs) {
    const path = await findProgram(program);
    if (path) return path;
  }
  return undefined;
}
