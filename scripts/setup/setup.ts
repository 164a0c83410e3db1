/** Provides the machine's prerequisites of `npm start` and `npm test`. */
import type { Runtime } from '../../src/engine/docker/host/runtime.ts';
import { type Announce, announceOn } from './announce.ts';
import { provideBackups } from './backups.ts';
import { provideBrowser } from './browser.ts';
import { provideFolder } from './built-folder.ts';
import { provideCompose } from './compose.ts';
import { dashboard } from './dashboard.ts';
import { provideEngine } from './engine.ts';
import { provideFirewall } from './firewall.ts';
import { provideGvisor } from './gvisor.ts';
import { inspectHost } from './host.ts';
import { provideImages } from './images/images.ts';
import { providePostgres } from './postgres.ts';
import { provideProxy } from './proxy.ts';
import { provideRuntime } from './runtimes.ts';
import { site } from './site.ts';
import { provideTestTools } from './tools.ts';

export { SetUpError } from './announce.ts';

export type SetUpOptions = {
  /** Shows the current step; default: lines on the standard output. */
  announce?: Announce;
  /** Whether to install the programs that only tests need. */
  forTests?: boolean;
  /** With `memory`, the engine, images and firewall are not needed. Default: docker. */
  engine?: string;
  /** The runtime of pods; default: runc, which every engine has. */
  runtime?: Runtime;
};

/**
 * Sets up the machine. Every step checks first and only does what is missing, so that a second call takes less than a
 * second. Throws `SetUpError` with a message if the user must act.
 */
export async function setUp(options: SetUpOptions = {}): Promise<void> {
  const announce = options.announce ?? announceOn(process.stdout);
  await provideFolder(dashboard, announce);
  await provideFolder(site, announce);
  const host = await inspectHost();
  if (options.engine === 'memory') return await provideProxy(host, announce);
  await provideEngine(host, announce);
  if (options.runtime === 'runsc') await provideRuntime(host, announce);
  await provideProxy(host, announce);
  await provideFirewall(host, announce);
  await provideBackups(host, announce);
  await provideImages(host, announce);
  if (!options.forTests) return;
  await provideTestTools(host, announce);
  await provideCompose(announce);
  await providePostgres(host, announce);
  await provideBrowser(host, announce);
  // The tests register it in their own engine.
  await provideGvisor(host, announce);
}
