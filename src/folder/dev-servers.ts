/**
 * Development servers that only respond to known hosts, and the setting that adds the application's host. They are
 * detected by the start command, including the scripts of `package.json`. Pure.
 */

export type DevServer = { name: string; hint: string };

export type Started = {
  /** The words of the command, joined. */
  command: string;
  /** Names of the variables that the program has. */
  variables: ReadonlySet<string>;
  /** A file of the program's folder; undefined where it is not there. */
  readText(name: string): string | undefined;
};

type Known = DevServer & {
  started: RegExp;
  /** The files that usually contain the list of hosts. */
  files: string[];
  /** With one of these variables, the server also responds to other hosts. */
  variable?: string;
  checksHost?(manifest: Manifest): boolean;
};

type Manifest = {
  scripts?: Record<string, unknown>;
  proxy?: unknown;
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
};

/** Older versions of Vite answer any host. */
const firstViteThatChecks = 5;

const known: Known[] = [
  {
    name: 'Vite',
    started: /(?:^|[\s;&|/])(?:vite(?!\S|\s+(?:build|preview|optimize)\b)|astro\s+dev\b)/,
    files: ['vite.config.ts', 'vite.config.js', 'vite.config.mts', 'vite.config.mjs', 'astro.config.mjs'],
    variable: '__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS',
    hint: 'add __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: <% HOST %> to its environment',
    checksHost: (manifest) => (versionOf('vite', manifest) ?? firstViteThatChecks) >= firstViteThatChecks,
  },
  {
    name: 'Angular',
    started: /(?:^|[\s;&|/])ng\s+(?:serve|s|dev)\b/,
    files: ['angular.json'],
    hint: 'start it with "ng serve --host 0.0.0.0 --allowed-hosts <% HOST %>"',
  },
  {
    name: 'Vue',
    started: /(?:^|[\s;&|/])vue-cli-service\s+serve\b/,
    files: ['vue.config.js', 'vue.config.ts', 'package.json'],
    hint: "write devServer: { allowedHosts: 'all' } into vue.config.js",
  },
  {
    name: 'webpack',
    started: /(?:^|[\s;&|/])webpack(?:-dev-server\b|\s+serve\b)/,
    files: ['webpack.config.js', 'webpack.config.ts', 'webpack.dev.js'],
    hint: 'start it with "--allowed-hosts <% HOST %>"',
  },
  {
    name: 'React',
    started: /(?:^|[\s;&|/])react-scripts\s+start\b/,
    files: [],
    variable: 'DANGEROUSLY_DISABLE_HOST_CHECK',
    hint: 'add DANGEROUSLY_DISABLE_HOST_CHECK: "true" to its environment',
    // It only checks the host if it forwards requests.
    checksHost: ({ proxy }) => proxy !== undefined,
  },
];

/** The maximum length of a command, and the maximum depth of scripts that start scripts. */
const most = { length: 8192, depth: 3 };

/** Undefined for other programs, and if the application's host is already allowed, as far as this can be determined. */
export function devServerOf({ command, variables, readText }: Started): DevServer | undefined {
  const manifest = manifestOf(readText('package.json'));
  const whole = withScripts(command, manifest);
  const server = known.find(({ started }) => started.test(whole));
  if (!server || server.checksHost?.(manifest) === false) return undefined;
  if (server.variable !== undefined && variables.has(server.variable)) return undefined;
  const settings = [whole, ...server.files.map((file) => readText(file) ?? '')];
  if (settings.some((text) => /allowed-?hosts|disable-?host-?check/i.test(text))) return undefined;
  const { name, hint } = server;
  return { name, hint };
}

/** Appends the text of the scripts that a command runs: `npm run dev`, `yarn dev`. */
function withScripts(command: string, { scripts }: Manifest): string {
  let text = command.slice(0, most.length);
  let last = text;
  for (let depth = 0; depth < most.depth; depth += 1) {
    const started = Array.from(
      last.matchAll(/(?:^|[\s;&|"'/])(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]{1,100})/g),
      ([, name]) => (scripts && Object.hasOwn(scripts, name!) ? scripts[name!] : undefined),
    );
    last = started.filter((script) => typeof script === 'string').join(' ; ');
    if (last === '') break;
    text = `${text} ; ${last}`.slice(0, most.length);
  }
  return text.replaceAll(/["']/g, ' ');
}

function manifestOf(text: string | undefined): Manifest {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The project's own tools report invalid files.
    return {};
  }
}

function versionOf(name: string, { dependencies, devDependencies }: Manifest): number | undefined {
  const written = devDependencies?.[name] ?? dependencies?.[name];
  const major = typeof written === 'string' ? /^[\^~>=v\s]{0,4}(\d{1,4})/.exec(written)?.[1] : undefined;
  return major === undefined ? undefined : Number(major);
}
