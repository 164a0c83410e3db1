/** `npm run orphans`: counts what carries our label and no deployment wants. 0 is what it always should print. */
import { findOrphans } from '../src/control/sweep.ts';
import { settingsOrExit } from '../src/settings/command-line.ts';
import { installationOrExit } from './installed.ts';

const installation = await installationOrExit(settingsOrExit());
const orphans = installation ? await findOrphans(installation.engine, installation.db) : [];
for (const { kind, name, deploymentId } of orphans) console.error(`${kind} ${name} of ${deploymentId}`);
console.log(orphans.length);
process.exit(orphans.length === 0 ? 0 : 1);
