/**
 * `npm start`: installs what is missing, starts the service, deploys the example, prints its URL, and keeps running.
 */
import { join } from 'node:path';
import { StartError } from '../src/lib/start-error.ts';
import { serve } from '../src/main.ts';
import { isServing, type Running, stopOnSignal } from '../src/running-service.ts';
import { settingsOrExit } from '../src/settings/command-line.ts';
import { deployExample } from './example.ts';
import { SetUpError, setUp } from './setup/setup.ts';

const settings = settingsOrExit();
try {
  await setUp({ engine: settings.engine, runtime: settings.runtime });
  const running = await startOrFind();
  console.log(`\n  Berth serves at ${settings.baseUrl.origin}`);
  await deployExample('guestbook', settings);
  if (running) {
    console.log(`
  In a browser:     ${settings.baseUrl.origin}
  Deploy your own:  curl -X POST ${settings.baseUrl.origin}/startUserDeployment \\
                      -H 'Content-Type: text/x-yaml' --data-binary @app.yaml
  Log:              ${logFile()}
  Stop:             Ctrl-C (applications keep running), or \`npm run down\` to remove everything
`);
  }
} catch (error) {
  if (!(error instanceof StartError || error instanceof SetUpError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** Undefined when a service runs already for this data directory: then only the example is looked after. */
async function startOrFind(): Promise<Running | undefined> {
  if (await isServing(settings)) return undefined;
  const running = await serve(settings, logFile());
  stopOnSignal(running);
  return running;
}

function logFile(): string {
  return join(settings.dataDir, 'berth.log');
}
