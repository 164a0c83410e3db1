/** Builds the dashboard and the documentation if their sources have changed. Runs before `npm run serve`. */
import { announceOn } from './setup/announce.ts';
import { provideFolder } from './setup/built-folder.ts';
import { dashboard } from './setup/dashboard.ts';
import { site } from './setup/site.ts';

try {
  const announce = announceOn(process.stdout);
  await provideFolder(dashboard, announce);
  await provideFolder(site, announce);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
