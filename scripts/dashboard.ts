/** Builds the dashboard when its sources are newer than what is there: before `npm run serve`. */
import { announceOn } from './setup/announce.ts';
import { provideDashboard } from './setup/dashboard.ts';

try {
  await provideDashboard(announceOn(process.stdout));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
