/** The settings of a command, from its environment. */
import { parseArgs } from 'node:util';
import { describeSettings, readSettings, type Settings } from './settings.ts';

const help = `Serves deployments: one YAML in, a live URL out.

  npm run serve            the service alone, in the foreground
  npm start                sets up what is missing, serves, and deploys the example
  npm run down             stops the service and removes everything that it made

Settings are environment variables, with these defaults:
${describeSettings()}
`;

/** The settings of the environment. Prints the help and exits if requested; prints mistakes and exits if there are any. */
export function settingsOrExit(): Settings {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } }, strict: false });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const read = readSettings(process.env);
  if (read.ok) return read.settings;
  process.stderr.write(`${read.mistakes.join('\n')}\n`);
  process.exit(2);
}
