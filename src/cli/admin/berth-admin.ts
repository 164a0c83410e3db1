/** `berth admin …`: what the operator sees and changes, on the database of this machine's installation. */
import { parseArgs } from 'node:util';
import { openStore } from '../../admin/open-store.ts';
import { readSettings } from '../../settings/settings.ts';
import type { Streams } from '../terminal.ts';
import { accountsCommand, planCommand } from './account-commands.ts';
import { auditCommand } from './audit-command.ts';
import { banCommand, bansCommand, unbanCommand } from './ban-commands.ts';
import { type Command, statuses } from './command.ts';
import { deploymentsCommand, inspectCommand, stopCommand } from './deployment-commands.ts';
import { imagesCommand } from './images-command.ts';
import { rotateKeyCommand } from './rotate-key-command.ts';

const commands: Record<string, Command> = {
  accounts: accountsCommand,
  deployments: deploymentsCommand,
  plan: planCommand,
  inspect: inspectCommand,
  stop: stopCommand,
  bans: bansCommand,
  ban: banCommand,
  unban: unbanCommand,
  images: imagesCommand,
  audit: auditCommand,
  'rotate-key': rotateKeyCommand,
};

const help = `berth admin: see and change what a Berth on this machine has.

${Object.entries(commands)
  .map(([name, { words, help: line }]) => `  ${['berth admin', name, ...words].join(' ').padEnd(32)}${line}`)
  .join('\n')}
      --json                        print the result as JSON

It works on the database in BERTH_DATA_DIR or BERTH_DATABASE_URL (and by BERTH_TIERS), whether the service runs or not; run it as the user of
the service. A running service sees a change within seconds.
Exit status: 0 done, 1 refused, 2 it could not be done.
`;

export async function admin(words: string[], { stdout, stderr, env }: Streams): Promise<number> {
  const fail = (message: string): number => {
    stderr.write(`${message}\n`);
    return statuses.unusable;
  };
  const parsed = parseWords(words);
  if ('mistake' in parsed) return fail(`${parsed.mistake}\n\n${help}`);
  if (parsed.isHelp) {
    stdout.write(parsed.more === undefined ? help : `${help}\n${parsed.more}`);
    return statuses.done;
  }
  const read = readSettings(env);
  if (!read.ok) return fail(read.mistakes.join('\n'));
  const { dataDir, databaseUrl } = read.settings;
  const where = databaseUrl ? 'BERTH_DATABASE_URL' : dataDir;
  const db = await openStore(read.settings).catch((error: Error) => error);
  if (db instanceof Error) return fail(`The database in ${where} cannot be opened: ${db.message}`);
  if (!db) return fail(`No service was ever started from ${where}; set BERTH_DATA_DIR.`);
  try {
    const { status, text, value } = await parsed.command.run(db, parsed.given, read.settings, (line) => {
      stderr.write(`${line}\n`);
    });
    const isRefusal = status !== statuses.done;
    if (parsed.asJson) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    else (isRefusal ? stderr : stdout).write(text);
    return status;
  } finally {
    await db.destroy();
  }
}

type Parsed =
  | { mistake: string }
  | { isHelp: true; more?: string | undefined }
  | { isHelp: false; command: Command; given: string[]; asJson: boolean };

function parseWords(words: string[]): Parsed {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    json: { type: 'boolean', default: false },
  } as const;
  let values: { help: boolean; json: boolean };
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({ args: words, allowPositionals: true, options }));
  } catch (error) {
    return { mistake: (error as Error).message.split('\n')[0]! };
  }
  const [name, ...given] = positionals;
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (values.help || name === 'help') return { isHelp: true, more: command?.more };
  if (!command)
    return { mistake: name === undefined ? 'There is no command.' : `There is no command "admin ${name}".` };
  if (given.length !== command.words.length) {
    return { mistake: `Write: ${['berth admin', name, ...command.words].join(' ')}` };
  }
  return { isHelp: false, command, given, asJson: values.json };
}
