/**
 * Starts the service as `npm run serve` does, and lets nothing but itself end it: what is left open when a start has
 * failed, or the service has stopped, keeps this process alive. With the argument `stop` it stops once it serves.
 */
import { serve } from '../../src/main.ts';
import { settingsOrExit } from '../../src/settings/command-line.ts';

try {
  const running = await serve(settingsOrExit());
  if (process.argv[2] === 'stop') await running.stop();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
