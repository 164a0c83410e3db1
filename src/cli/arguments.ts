/** Parses the arguments of a command, and prints its usage. Pure. */
import { parseArgs } from 'node:util';
import { nearestName } from '../config/diagnostics/suggest.ts';
import { type Command, type CommandName, commands, common, type Flag } from './command-table.ts';

export const statuses = {
  done: 0,
  refused: 1,
  unusable: 2,
  unreachable: 3,
  interrupted: 130,
} as const;

const meanings: Record<keyof typeof statuses, string> = {
  done: 'done',
  refused: 'the service refuses, a file is not valid, an image cannot be built, or the deployment has failed',
  unusable: 'wrong arguments, an unreadable file, or no known deployment',
  unreachable: 'the service does not answer',
  interrupted: 'interrupted (Ctrl-C)',
};

export type Options = Readonly<Record<string, Given>>;

type Given = string | boolean | readonly string[] | undefined;

export type ParsedArguments =
  | { kind: 'help'; of?: CommandName }
  | { kind: 'mistake'; message: string; of?: CommandName }
  | { kind: 'command'; name: CommandName; given: string[]; options: Options; asJson: boolean };

function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(commands, name);
}

export function parseArguments(words: readonly string[]): ParsedArguments {
  const [first, ...rest] = words;
  if (first === undefined) return { kind: 'mistake', message: 'The command is missing.' };
  if (['help', '--help', '-h'].includes(first)) {
    const [of] = rest;
    if (of === undefined || of === 'help') return { kind: 'help' };
    return isCommand(of) ? { kind: 'help', of } : unknownCommand(of);
  }
  if (first === '--version' || first === '-v') return parseArguments(['version', ...rest]);
  if (first.startsWith('-')) return { kind: 'mistake', message: `The command comes before ${first}.` };
  if (!isCommand(first)) return unknownCommand(first);
  const options = Object.fromEntries(
    Object.entries({ ...flagsOf(first), ...always }).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: rest, allowPositionals: true, options });
    const { help, json, ...others } = values as Record<string, Given>;
    if (help) return { kind: 'help', of: first };
    if (!fits(commands[first].words, positionals)) {
      return { kind: 'mistake', of: first, message: `Write: ${['berth', first, ...commands[first].words].join(' ')}` };
    }
    return { kind: 'command', name: first, given: positionals, options: others, asJson: json === true };
  } catch (error) {
    // The rest of the message explains how to write arguments that begin with a hyphen.
    const message = (error as Error).message.split(/\. To |\n/)[0]!.replace(/\.?$/, '.');
    return { kind: 'mistake', of: first, message };
  }
}

/** Names of the commands in other tools, such as Docker. */
const otherNames: Record<string, CommandName> = {
  delete: 'remove',
  destroy: 'remove',
  down: 'remove',
  ls: 'list',
  ps: 'status',
  rm: 'remove',
};

function unknownCommand(word: string): ParsedArguments {
  const meant = Object.hasOwn(otherNames, word) ? otherNames[word] : nearestName(word, Object.keys(commands));
  return { kind: 'mistake', message: `Unknown command "${word}"${meant ? `; did you mean "${meant}"?` : '.'}` };
}

const always: Record<string, Flag> = {
  json: { type: 'boolean', help: 'print the result as JSON' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
};

export function flagsOf(name: CommandName): Record<string, Flag> {
  const command: Command = commands[name];
  return { ...command.flags, ...(command.isRemote && common) };
}

function fits(words: readonly string[], given: readonly string[]): boolean {
  const least = words.filter((word) => !word.startsWith('[')).length;
  const most = words.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : words.length;
  return given.length >= least && given.length <= most;
}

export function helpText(): string {
  const rows = Object.entries(commands).map(([name, { words, help }]): Row => [[name, ...words].join(' '), help]);
  rows.push(['admin COMMAND', 'commands for the operator, on the server itself']);
  rows.push(['help [COMMAND]', 'this text, or the options of a command']);
  return `berth: deploy what one YAML file describes, and get a live URL.

${printRows(rows)}
Every command takes --json. The folder remembers what it has deployed in .berth/ (for its owner alone).
Colours and progress are for terminals, unless NO_COLOR is set.

Exit status:
${Object.entries(statuses)
  .map(([name, status]) => `  ${String(status).padEnd(5)}${meanings[name as keyof typeof statuses]}\n`)
  .join('')}`;
}

export function helpOf(name: CommandName): string {
  const { words, help } = commands[name];
  const flags = Object.entries({ ...flagsOf(name), ...always }).map(([flag, { short, value, help: line }]): Row => {
    return [`${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''}`, line];
  });
  return `berth ${[name, ...words].join(' ')}: ${help}\n\n${printRows(flags)}`;
}

type Row = [left: string, right: string];

function printRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
