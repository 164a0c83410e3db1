/** The commands of `berth` and their words: one table for reading them, for the help and for completion. Pure. */
import { parseArgs } from 'node:util';
import { nearestName } from '../config/diagnostics/suggest.ts';

type Flag = {
  type: 'boolean' | 'string';
  short?: string;
  value?: string;
  /** It may be given several times. */
  multiple?: boolean;
  help: string;
};
export type CommandName = keyof typeof commands;

/** Of every command that asks a service. */
const common = {
  server: { type: 'string', value: 'URL', help: 'the service; else BERTH_SERVER, the folder’s, or localhost:8080' },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'a session token or an API key; else BERTH_TOKEN, the folder’s or login’s',
  },
  app: { type: 'string', short: 'a', value: 'NAME', help: 'the application, if not the one that the folder remembers' },
  environment: { type: 'string', value: 'NAME', help: 'which of several applications of one name' },
} as const satisfies Record<string, Flag>;

const noWait = { type: 'boolean', help: 'do not wait until it runs' } as const satisfies Flag;

type Command = {
  /** Of what follows the command: `FILE`, `[POD]`, `FILE…`. */
  words: readonly string[];
  help: string;
  flags: Readonly<Record<string, Flag>>;
  /** Whether a service is asked. */
  isRemote: boolean;
};

export const commands = {
  up: {
    words: ['[FOLDER]'],
    help: 'build, push and start what is in a folder, or update it',
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'without asking' },
      'dry-run': { type: 'boolean', help: 'tell what would be done, and do nothing' },
      open: { type: 'boolean', help: 'open it in a browser' },
      follow: { type: 'boolean', help: 'go on with what the pods write' },
      watch: { type: 'boolean', short: 'w', help: 'again after each change, until Ctrl-C' },
      file: { type: 'string', short: 'f', value: 'FILE', multiple: true, help: 'read this one; several are merged' },
      env: { type: 'string', short: 'e', value: 'NAME=VALUE', multiple: true, help: 'a variable, before all others' },
      'env-file': { type: 'string', value: 'FILE', multiple: true, help: 'variables, instead of .env' },
      without: {
        type: 'string',
        value: 'FILE',
        multiple: true,
        help: 'although this file with variables is not there',
      },
      profile: { type: 'string', value: 'NAME', multiple: true, help: 'with the services of this profile' },
      name: { type: 'string', value: 'NAME', help: 'of the application, instead of the one that is found' },
      allow: { type: 'string', value: 'FOLDER', multiple: true, help: 'another folder that may be read' },
      fill: { type: 'string', value: 'SERVICE', multiple: true, help: 'begin its volumes with its data folders' },
      new: { type: 'boolean', help: 'start another one, whatever the folder remembers' },
      force: { type: 'boolean', help: 'send it although nothing has changed: tags are looked up anew' },
      'no-wait': noWait,
      verbose: { type: 'boolean', short: 'v', help: 'all that builds tell' },
    },
    isRemote: true,
  },
  deploy: {
    words: ['FILE'],
    help: 'start what a file describes, or update what this folder has started',
    flags: {
      'no-wait': noWait,
      new: { type: 'boolean', help: 'start another one, whatever the folder remembers' },
      'dry-run': { type: 'boolean', help: 'check everything and change nothing' },
    },
    isRemote: true,
  },
  update: {
    words: ['FILE'],
    help: 'apply a file to what runs; the URL stays',
    flags: { 'no-wait': noWait, 'dry-run': { type: 'boolean', help: 'check everything and change nothing' } },
    isRemote: true,
  },
  preview: { words: ['FILE'], help: 'what an update with a file would do to each pod', flags: {}, isRemote: true },
  revisions: {
    words: [],
    help: 'what it was before: who, when, what became of it, what was changed',
    flags: {},
    isRemote: true,
  },
  rollback: {
    words: ['[REVISION]'],
    help: 'go back to an earlier revision, else to the last one that ran',
    flags: {
      'no-wait': noWait,
      yes: { type: 'boolean', short: 'y', help: 'without asking' },
      'dry-run': { type: 'boolean', help: 'tell what would be done to each pod, and change nothing' },
    },
    isRemote: true,
  },
  status: {
    words: [],
    help: 'how it does, with the state of each pod',
    flags: { wait: { type: 'boolean', short: 'w', help: 'until it runs, has failed or has ended' } },
    isRemote: true,
  },
  logs: {
    words: ['[POD]'],
    help: 'what the pods write',
    flags: {
      follow: { type: 'boolean', short: 'f', help: 'go on with the lines that come' },
      since: { type: 'string', value: 'TIME', help: 'no older lines: 10m, or a date-time' },
      tail: { type: 'string', short: 'n', value: 'LINES', help: 'so many last lines of each container (100)' },
      previous: { type: 'boolean', short: 'p', help: 'only lines from before the last start' },
      search: { type: 'string', value: 'TEXT', help: 'only lines that have it, of all that is kept' },
      until: { type: 'string', value: 'TIME', help: 'no newer ones' },
    },
    isRemote: true,
  },
  events: { words: [], help: 'every step so far, and those that come, until it ends', flags: {}, isRemote: true },
  list: { words: [], help: 'the deployments of the session or the account', flags: {}, isRemote: true },
  images: { words: [], help: 'what the session or the account has pushed, with sizes', flags: {}, isRemote: true },
  domains: {
    words: ['[add|check|remove]', '[NAME]'],
    help: 'its custom domains; add one, look it up now, or remove it',
    flags: {
      'redirect-to': { type: 'string', value: 'NAME', help: 'with add: send its visitors on to this one' },
      wait: { type: 'boolean', short: 'w', help: 'until it is live' },
    },
    isRemote: true,
  },
  open: { words: [], help: 'open it in a browser', flags: {}, isRemote: true },
  extend: { words: [], help: 'move its time limit', flags: {}, isRemote: true },
  claim: { words: [], help: 'a link at which an account takes it over, so that it stays', flags: {}, isRemote: true },
  remove: {
    words: [],
    help: 'remove it; what it has is kept for a while, for "berth restore"',
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'without asking' },
      forget: { type: 'boolean', help: 'with its data, at once: it cannot be restored' },
    },
    isRemote: true,
  },
  restore: {
    words: [],
    help: 'bring back what was removed or has expired, with its data',
    flags: { 'no-wait': noWait },
    isRemote: true,
  },
  init: {
    words: ['[FOLDER]'],
    help: 'write a first berth.yaml for what is in a folder',
    flags: {},
    isRemote: false,
  },
  validate: {
    words: ['FILE…'],
    help: 'check files without a service; - is standard input',
    flags: {},
    isRemote: false,
  },
  export: {
    words: ['[compose|kubernetes]'],
    help: 'what runs, as a Compose file or Kubernetes manifests',
    flags: {
      secrets: { type: 'boolean', help: 'with passwords and keys; else they are left to be set' },
      host: { type: 'string', value: 'NAME', help: 'where it will be, for Kubernetes' },
    },
    isRemote: true,
  },
  mcp: {
    words: [],
    help: 'serve agents, by the Model Context Protocol on stdin and stdout',
    flags: {},
    isRemote: true,
  },
  login: {
    words: [],
    help: 'get an API key of an account for this service, by a code in the browser',
    flags: { 'with-key': { type: 'boolean', help: 'with one that you paste, or that comes on the standard input' } },
    isRemote: true,
  },
  logout: { words: [], help: 'forget it', flags: {}, isRemote: true },
  whoami: { words: [], help: 'who the token stands for, and what it may have', flags: {}, isRemote: true },
  version: { words: [], help: 'of this command, and of the service', flags: {}, isRemote: true },
  completion: { words: ['bash|zsh'], help: 'a script that completes these words', flags: {}, isRemote: false },
} as const satisfies Record<string, Command>;

/** What the statuses mean with which a command ends. */
export const statuses = {
  done: 0,
  refused: 1,
  unusable: 2,
  unreachable: 3,
  interrupted: 130,
} as const;

const meanings: Record<keyof typeof statuses, string> = {
  done: 'done',
  refused: 'the service refuses, a file is not valid, an image cannot be made, or the deployment has failed',
  unusable: 'wrong words, a file that cannot be read, or nothing is known of a deployment',
  unreachable: 'the service does not answer',
  interrupted: 'interrupted (Ctrl-C)',
};

export type Options = Readonly<Record<string, Given>>;

type Given = string | boolean | readonly string[] | undefined;

export type Words =
  | { kind: 'help'; of?: CommandName }
  | { kind: 'mistake'; message: string; of?: CommandName }
  | { kind: 'command'; name: CommandName; given: string[]; options: Options; asJson: boolean };

function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(commands, name);
}

export function readWords(words: readonly string[]): Words {
  const [first, ...rest] = words;
  if (first === undefined) return { kind: 'mistake', message: 'There is no command.' };
  if (['help', '--help', '-h'].includes(first)) {
    const [of] = rest;
    if (of === undefined || of === 'help') return { kind: 'help' };
    return isCommand(of) ? { kind: 'help', of } : unknownCommand(of);
  }
  if (first === '--version' || first === '-v') return readWords(['version', ...rest]);
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
    // Behind it comes how to write words that begin with a hyphen.
    const message = (error as Error).message.split(/\. To |\n/)[0]!.replace(/\.?$/, '.');
    return { kind: 'mistake', of: first, message };
  }
}

function unknownCommand(word: string): Words {
  const meant = nearestName(word, Object.keys(commands));
  return { kind: 'mistake', message: `There is no command "${word}"${meant ? `; did you mean "${meant}"?` : '.'}` };
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
  const most = words.some((word) => word.endsWith('…')) ? Number.POSITIVE_INFINITY : words.length;
  return given.length >= least && given.length <= most;
}

export function helpText(): string {
  const rows = Object.entries(commands).map(([name, { words, help }]): Row => [[name, ...words].join(' '), help]);
  rows.push(['admin COMMAND', 'what an operator sees and changes, on the server itself']);
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
