/** The commands of `berth` and their flags: one table for reading them, for the help and for completion. Pure. */

export type Flag = {
  type: 'boolean' | 'string';
  short?: string;
  value?: string;
  /** The option may be repeated. */
  multiple?: boolean;
  help: string;
};
export type CommandName = keyof typeof commands;

/** For every command that contacts a service. */
export const common = {
  server: { type: 'string', value: 'URL', help: 'the service; else BERTH_SERVER, the folder’s, or localhost:8080' },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'a session token or an API key; else BERTH_TOKEN, the folder’s or login’s',
  },
  app: { type: 'string', short: 'a', value: 'NAME', help: 'the application, if not the one that the folder remembers' },
  environment: { type: 'string', value: 'NAME', help: 'the environment, if several applications have the same name' },
} as const satisfies Record<string, Flag>;

const noWait = { type: 'boolean', help: 'do not wait until the deployment runs' } as const satisfies Flag;

export type Command = {
  /** The words after the command: `FILE`, `[POD]`, `FILE…`. */
  words: readonly string[];
  help: string;
  flags: Readonly<Record<string, Flag>>;
  /** Whether the command contacts a service. */
  isRemote: boolean;
};

export const commands = {
  up: {
    words: ['[FOLDER]'],
    help: 'build, push and start the application in a folder, or update it',
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'without confirmation' },
      'dry-run': { type: 'boolean', help: 'show the effect without making changes' },
      open: { type: 'boolean', help: 'open it in a browser' },
      follow: { type: 'boolean', help: 'then follow the logs of the pods' },
      watch: { type: 'boolean', short: 'w', help: 'do it again after each change, until Ctrl-C' },
      file: { type: 'string', short: 'f', value: 'FILE', multiple: true, help: 'read this one; several are merged' },
      env: { type: 'string', short: 'e', value: 'NAME=VALUE', multiple: true, help: 'a variable, before all others' },
      'env-file': { type: 'string', value: 'FILE', multiple: true, help: 'variables, instead of .env' },
      without: {
        type: 'string',
        value: 'FILE',
        multiple: true,
        help: 'go on even if this file of variables is missing',
      },
      empty: { type: 'boolean', help: 'leave all other values empty' },
      profile: { type: 'string', value: 'NAME', multiple: true, help: 'with the services of this profile' },
      name: { type: 'string', value: 'NAME', help: 'of the application, instead of the one that is found' },
      allow: { type: 'string', value: 'FOLDER', multiple: true, help: 'another folder that may be read' },
      fill: { type: 'string', value: 'SERVICE', multiple: true, help: 'fill its volumes from its data folders' },
      new: { type: 'boolean', help: 'start another deployment, even if the folder remembers one' },
      remote: { type: 'boolean', help: 'send the source, and let the service build the images' },
      force: { type: 'boolean', help: 'send it even if nothing has changed, to resolve tags again' },
      'no-wait': noWait,
      verbose: { type: 'boolean', short: 'v', help: 'the full output of builds' },
    },
    isRemote: true,
  },
  deploy: {
    words: ['FILE'],
    help: 'start the application of a file, or update it',
    flags: {
      'no-wait': noWait,
      new: { type: 'boolean', help: 'start another deployment, even if the folder remembers one' },
      'dry-run': { type: 'boolean', help: 'check everything and change nothing' },
    },
    isRemote: true,
  },
  update: {
    words: ['FILE'],
    help: 'update a running application with a file; the URL stays',
    flags: {
      'no-wait': noWait,
      'dry-run': { type: 'boolean', help: 'check everything and change nothing' },
      snapshot: { type: 'boolean', help: 'take a snapshot first if the update changes a pod with volumes' },
    },
    isRemote: true,
  },
  preview: { words: ['FILE'], help: 'show what an update with a file would do to each pod', flags: {}, isRemote: true },
  revisions: {
    words: [],
    help: 'list revisions: who, when, the outcome, the changes',
    flags: {},
    isRemote: true,
  },
  rollback: {
    words: ['[REVISION]'],
    help: 'go back to an earlier revision; default: the last one that ran',
    flags: {
      'no-wait': noWait,
      yes: { type: 'boolean', short: 'y', help: 'without confirmation' },
      'dry-run': { type: 'boolean', help: 'show the effect on each pod without making changes' },
    },
    isRemote: true,
  },
  status: {
    words: [],
    help: 'show the status of the deployment and its pods',
    flags: { wait: { type: 'boolean', short: 'w', help: 'wait until it runs, has failed or has ended' } },
    isRemote: true,
  },
  metrics: {
    words: [],
    help: 'show resource use and the requests to the site',
    flags: {},
    isRemote: true,
  },
  logs: {
    words: ['[POD]'],
    help: 'show the logs of the pods',
    flags: {
      follow: { type: 'boolean', short: 'f', help: 'keep printing new lines' },
      since: { type: 'string', value: 'TIME', help: 'only lines since this time: 10m, or a date-time' },
      tail: { type: 'string', short: 'n', value: 'LINES', help: 'how many of the last lines of each container (100)' },
      previous: { type: 'boolean', short: 'p', help: 'only lines from before the last start' },
      search: { type: 'string', value: 'TEXT', help: 'only lines with this text, among all kept lines' },
      until: { type: 'string', value: 'TIME', help: 'only lines until this time' },
      stream: { type: 'string', value: 'STREAM', help: 'only stdout, or only stderr' },
      build: { type: 'boolean', short: 'b', help: 'the output of the last image build on the server' },
    },
    isRemote: true,
  },
  events: {
    words: [],
    help: 'list all events so far',
    flags: { follow: { type: 'boolean', short: 'f', help: 'keep printing new events until the deployment ends' } },
    isRemote: true,
  },
  list: { words: [], help: 'list the deployments of the session or the account', flags: {}, isRemote: true },
  templates: {
    words: ['[NAME]'],
    help: 'list application templates; with a name, print its document',
    flags: {
      search: { type: 'string', short: 's', value: 'TEXT', help: 'only templates with these words' },
      tag: { type: 'string', value: 'TAG', help: 'only templates with this tag' },
    },
    isRemote: true,
  },
  images: {
    words: [],
    help: 'list the pushed images of the session or the account, with sizes',
    flags: {},
    isRemote: true,
  },
  domains: {
    words: ['[add|check|remove]', '[NAME]'],
    help: 'list the custom domains; add one, check it now, or remove it',
    flags: {
      'redirect-to': { type: 'string', value: 'NAME', help: 'with add: redirect its visitors to this domain' },
      wait: { type: 'boolean', short: 'w', help: 'until it is live' },
    },
    isRemote: true,
  },
  restart: {
    words: ['POD'],
    help: 'restart a pod; without a gap, unless it has volumes',
    flags: { 'no-wait': noWait },
    isRemote: true,
  },
  exec: {
    words: ['POD', '[COMMAND…]'],
    help: 'run a command in a pod, by default a shell; write -- before it',
    flags: {
      tty: { type: 'boolean', short: 't', help: 'with a terminal; default: if stdin and stdout are terminals' },
      interactive: { type: 'boolean', short: 'i', help: 'with what is typed or piped in, as is always done' },
      'no-tty': { type: 'boolean', short: 'T', help: 'without a terminal' },
      replica: { type: 'string', value: 'NUMBER', help: 'which replica; the first is 0' },
    },
    isRemote: true,
  },
  stop: { words: [], help: 'stop all its pods; its address and its data stay', flags: {}, isRemote: true },
  start: { words: [], help: 'start a stopped application', flags: { 'no-wait': noWait }, isRemote: true },
  open: { words: [], help: 'open it in a browser', flags: {}, isRemote: true },
  extend: { words: [], help: 'extend its time limit', flags: {}, isRemote: true },
  hold: { words: [], help: 'keep it past its time limit, if the plan allows it', flags: {}, isRemote: true },
  release: { words: [], help: 'stop holding it: it ends at its time limit', flags: {}, isRemote: true },
  share: {
    words: ['[show|revoke]'],
    help: 'create a link to its status for others; show it, or revoke it',
    flags: {},
    isRemote: true,
  },
  claim: {
    words: [],
    help: 'create a link with which an account claims it, so that it stays',
    flags: {},
    isRemote: true,
  },
  remove: {
    words: [],
    help: 'remove it; its data is kept for a while, for "berth restore"',
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'without confirmation' },
      forget: { type: 'boolean', help: 'delete its data immediately: it cannot be restored' },
    },
    isRemote: true,
  },
  restore: {
    words: [],
    help: 'restore a removed or expired deployment with its data',
    flags: { 'no-wait': noWait },
    isRemote: true,
  },
  snapshots: {
    words: [],
    help: 'list the snapshots of its data',
    flags: {
      'before-updates': {
        type: 'string',
        value: 'on|off',
        help: 'take a snapshot before each update that changes data',
      },
    },
    isRemote: true,
  },
  snapshot: {
    words: ['[restore|verify|delete]', '[ID]'],
    help: 'take a snapshot; restore, verify, or delete one',
    flags: {
      dump: { type: 'boolean', help: 'PostgreSQL, MySQL, MariaDB and Redis by their own tools' },
      volume: { type: 'string', value: 'NAME', multiple: true, help: 'with restore: this volume alone' },
      beside: { type: 'boolean', help: 'with restore: as a new deployment; the existing one does not change' },
      'without-snapshot': { type: 'boolean', help: 'with restore: take no snapshot before; the current data is lost' },
      'dry-run': { type: 'boolean', help: 'with restore: show the effect without making changes' },
      yes: { type: 'boolean', short: 'y', help: 'without confirmation' },
      'no-wait': { type: 'boolean', help: 'do not wait until it is complete' },
    },
    isRemote: true,
  },
  init: {
    words: ['[FOLDER]'],
    help: 'write a first berth.yaml for a folder, or from a template',
    flags: {
      template: { type: 'string', short: 't', value: 'NAME', help: 'this one, as "berth templates" lists them' },
      server: { ...common.server, help: 'with --template: the service that has it' },
    },
    isRemote: false,
  },
  validate: {
    words: ['FILE…'],
    help: 'check files and their images; - is standard input',
    flags: { 'no-images': { type: 'boolean', help: 'do not check the images; contacts no service' } },
    isRemote: true,
  },
  export: {
    words: ['[compose|kubernetes|all]'],
    help: 'export it as Compose or Kubernetes files, or all with data',
    flags: {
      to: {
        type: 'string',
        value: 'PATH',
        help: 'export everything to a new folder, FILE.tar, or -',
      },
      'without-volumes': { type: 'boolean', help: 'all but the data' },
      secrets: { type: 'boolean', help: 'with passwords and keys; otherwise they are left empty' },
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
    help: 'get an API key of an account for the service, by a code in a browser',
    flags: { 'with-key': { type: 'boolean', help: 'with a key that you paste, or from standard input' } },
    isRemote: true,
  },
  logout: { words: [], help: 'forget it', flags: {}, isRemote: true },
  whoami: { words: [], help: 'show the owner of the token and its limits', flags: {}, isRemote: true },
  version: { words: [], help: 'print the versions of this command and of the service', flags: {}, isRemote: true },
  completion: { words: ['bash|zsh'], help: 'print a shell completion script', flags: {}, isRemote: false },
} as const satisfies Record<string, Command>;

/** The meanings of exit statuses. */
