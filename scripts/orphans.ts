/** `npm run orphans`: counts objects with Berth's label that no deployment needs. It should always print 0. */
import { findOrphans } from '../src/control/sweep.ts';
import { settingsOrExit } from '../src/settings/command-line.ts';
import { installationOrExit } from './installed.ts';

const installation = await installationOrExit(settingsOrExit());
const orphans = installation ? await findOrphans(installation.engine, installation.db) : [];
for (const { kind, name, deploymentId } of orphans) console.error(`${kind} ${name} of ${deploymentId}`);
console.log(orphans.length);
process.exit(orphans.length === 0 ? 0 : 1);
