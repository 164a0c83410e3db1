/** What `npm start` and `npm test` need from the machine, brought when it is missing. */
import { type Announce, announceOn } from './announce.ts';
import { provideBrowser } from './browser.ts';
import { provideDashboard } from './dashboard.ts';
import { provideEngine } from './engine.ts';
import { provideFirewall } from './firewall.ts';
import { lookAtHost } from './host.ts';
import { provideImages } from './images/images.ts';
import { provideProxy } from './proxy.ts';
import { provideTestTools } from './tools.ts';

export { SetUpError } from './announce.ts';

export type SetUpOptions = {
  /** Tells a person what is being done; default: lines on the standard output. */
  announce?: Announce;
  /** Also what only tests need. */
  forTests?: boolean;
};

/**
 * Every step looks first and does only what is missing, so that a second call takes well under a second.
 * Throws `SetUpError` with words for the person at the terminal when something is not in our power.
 */
export async function setUp(options: SetUpOptions = {}): Promise<void> {
  const announce = options.announce ?? announceOn(process.stdout);
  await provideDashboard(announce);
  const host = await lookAtHost();
  await provideEngine(host, announce);
  await provideProxy(host, announce);
  await provideFirewall(host, announce);
  await provideImages(host, announce);
  if (!options.forTests) return;
  await provideTestTools(host, announce);
  await provideBrowser(host, announce);
}
