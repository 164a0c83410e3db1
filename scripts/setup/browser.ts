/** Chromium, for the tests of the dashboard. Nothing else needs it. */
import { type Announce, SetUpError } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export async function provideBrowser(host: Host, announce: Announce): Promise<void> {
  if (await findBrowser()) return;
  if (!host.isDebianLike || host.privilege === 'none') {
    throw new SetUpError(
      'Chromium is not installed, and the tests of the dashboard need it. Install it and repeat the command.',
    );
  }
  // Without a font of its own it has none on a machine that never showed anything.
  await announce('Installing chromium, fonts-dejavu-core from apt (about 40 s)', () =>
    installPackages(host, ['chromium', 'fonts-dejavu-core']),
  );
}

export async function findBrowser(): Promise<string | undefined> {
  for (const program of programs) {
    const path = await findProgram(program);
    if (path) return path;
  }
  return undefined;
}
