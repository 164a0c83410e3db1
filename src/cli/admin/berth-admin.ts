/** `berth admin …`: what the operator sees and changes, on the database of this machine's installation. */
import { parseArgs } from 'node:util';
import { obstacleAt, openStore } from '../../admin/open-store.ts';
import { storeProblem } from '../../admin/store-problem.ts';
import { readSettings } from '../../settings/settings.ts';
import type { Streams } from '../terminal.ts';
import { accountsCommand, planCommand } from './account-commands.ts';
import { type Answer, type Command, type GivenOptions, statuses } from './admin-command.ts';
import { auditCommand } from './audit-command.ts';
import { backupCommand } from './backup-command.ts';
import { banCommand, bansCommand, unbanCommand } from './ban-commands.ts';
import {
  deploymentsCommand,
  inspectCommand,
  stopCommand,
  suspendCommand,
  unsuspendCommand,
} from './deployment-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { imagesCommand } from './images-command.ts';
import { migrateStoreCommand } from './migrate-store-command.ts';
import { orphansCommand } from './orphans-command.ts';
import { restoreCommand } from './restore-command.ts';
import { rotateKeyCommand } from './rotate-key-command.ts';

const commands: Record<string, Command> = {
  accounts: accountsCommand,
  deployments: deploymentsCommand,
  plan: planCommand,
  inspect: inspectCommand,
  stop: stopCommand,
  suspend: suspendCommand,
  unsuspend: unsuspendCommand,
  bans: bansCommand,
  ban: banCommand,
  unban: unbanCommand,
  images: imagesCommand,
  orphans: orphansCommand,
  audit: auditCommand,
  doctor: doctorCommand,
  'rotate-key': rotateKeyCommand,
  'migrate-store': migrateStoreCommand,
  backup: backupCommand,
  restore: restoreCommand,
};

/** The width of the column before the help of a command. */
const widest = 2 + Math.max(...Object.entries(commands).map(([name, command]) => usageOf(name, command).length));

const help = `berth admin: inspect and change the Berth installation on this machine.

${Object.entries(commands)
  .map(([name, command]) => `  ${usageOf(name, command).padEnd(widest)}${command.help}`)
  .join('\n')}
${'      --json'.padEnd(widest + 2)}print the result as JSON

It works on the database in BERTH_DATA_DIR or BERTH_DATABASE_URL (and by BERTH_TIERS), whether the service runs or not; run it as the user of
the service. A running service sees a change within seconds.
Exit status: 0 done, 1 refused, 2 it could not be done.
`;

export async function admin(words: string[], streams: Streams): Promise<number> {
  const { stdout, stderr, env } = streams;
  const fail = (message: string): number => {
    stderr.write(`${message}\n`);
    return statuses.unusable;
  };
  const parsed = parseAdminArguments(words);
  if ('mistake' in parsed) return fail(`${parsed.mistake}\n\n${help}`);
  if (parsed.isHelp) {
    stdout.write(parsed.more === undefined ? help : `${help}\n${parsed.more}`);
    return statuses.done;
  }
  const read = readSettings(env);
  if (!read.ok) return fail(read.mistakes.join('\n'));
  const { command, given, options, asJson } = parsed;
  const note = (line: string) => void stderr.write(`${line}\n`);
  const tell = ({ status, text, value }: Answer): number => {
    if (asJson) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    else (status !== statuses.done ? stderr : stdout).write(text);
    return status;
  };
  if ('runWithoutStore' in command) return tell(await command.runWithoutStore(read.settings, note, options, streams));
  const { dataDir, databaseUrl } = read.settings;
  const where = databaseUrl ? 'BERTH_DATABASE_URL' : dataDir;
  const db = await openStore(read.settings).catch((error: Error) => error);
  if (db instanceof Error)
    return fail(storeProblem(db, where) ?? `The database in ${where} cannot be opened: ${db.message}`);
  if (!db) return fail(`No service was ever started from ${where}; set BERTH_DATA_DIR.`);
  try {
    const obstacle = command.takesMovedStore ? undefined : await obstacleAt(db);
    if (obstacle !== undefined) return fail(obstacle);
    return tell(await command.run(db, given, read.settings, note, options, streams));
  } catch (error) {
    const trouble = storeProblem(error, where);
    if (trouble === undefined) throw error;
    return fail(trouble);
  } finally {
    await db.destroy();
  }
}

type Parsed =
  | { mistake: string }
  | { isHelp: true; more?: string | undefined }
  | { isHelp: false; command: Command; given: string[]; options: GivenOptions; asJson: boolean };

export function parseAdminArguments(words: string[]): Parsed {
  const parsed = parseOptions(words);
  if (parsed instanceof Error) return { mistake: parsed.message.split('\n')[0]! };
  const { help: isHelp, json, ...options } = parsed.values;
  const [name, ...given] = parsed.positionals;
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (isHelp || name === 'help') return { isHelp: true, more: command?.more };
  if (name === undefined || !command)
    return { mistake: name === undefined ? 'The command is missing.' : `Unknown command "admin ${name}".` };
  const strange = Object.keys(options).find(
    (option) => !Object.hasOwn({ ...command.options, ...command.further }, option),
  );
  if (strange !== undefined) return { mistake: `berth admin ${name} has no option --${strange}.` };
  if (given.length !== command.words.length) return { mistake: `Write: ${usageOf(name, command)}` };
  return { isHelp: false, command, given, options, asJson: json === true };
}

/**
 * Parses the options of all commands, because the command is only known after its options are separated from the other
 * words.
 */
function parseOptions(words: string[]) {
  const ofCommands = Object.values(commands).flatMap(({ options, further }) =>
    Object.entries({ ...options, ...further }),
  );
  const options = {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
    ...Object.fromEntries(
      ofCommands.map(([name, word]) => [name, { type: word === '' ? ('boolean' as const) : ('string' as const) }]),
    ),
  } as const;
  try {
    return parseArgs({ args: words, allowPositionals: true, options });
  } catch (error) {
    return error as Error;
  }
}

function usageOf(name: string, { words, options = {} }: Command): string {
  const choices = Object.entries(options).map(([option, word]) =>
    word === '' ? `--${option}` : `--${option} ${word}`,
  );
  return ['berth admin', name, ...words, ...(choices.length > 0 ? [choices.join(' | ')] : [])].join(' ');
}
