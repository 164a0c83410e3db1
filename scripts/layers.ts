/**
 * `npm run layers`: writes the linter's import rules, `biome.layers.json`, from one table. Imports point down only
 * (docs/explanation/architecture.md); a test holds the file and the folders of `src` against the table.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const pure = ['lib', 'config', 'deployment'] as const;

/** Each folder of `src`, and the other folders that its files may import. */
export const layers = {
  lib: [],
  config: ['lib'],
  deployment: ['lib', 'config'],
  settings: [...pure, 'backup'],
  store: pure,
  backup: ['lib'],
  images: [...pure, 'store'],
  engine: [...pure, 'images'],
  snapshots: [...pure, 'store', 'backup', 'engine'],
  builds: [...pure, 'store', 'images', 'engine', 'folder', 'push'],
  control: [...pure, 'store', 'images', 'engine'],
  edge: [...pure, 'store', 'engine'],
  domains: [...pure, 'store', 'images'],
  notify: [...pure, 'store', 'images'],
  accounts: [...pure, 'store', 'engine'],
  api: [...pure, 'store', 'images', 'engine', 'builds', 'client', 'mcp'],
  admin: [...pure, 'store', 'backup', 'engine'],
  client: ['lib'],
  mcp: ['lib', 'client'],
  folder: ['lib', 'config'],
  push: ['lib', 'folder', 'config'],
  cli: ['lib', 'config', 'settings', 'admin', 'backup', 'client', 'mcp', 'folder', 'push'],
} as const satisfies Record<string, readonly string[]>;

type Layer = keyof typeof layers;

/**
 * Folders of `src/engine`. They must not import one another, and shared files must not import them. Only `open.ts`
 * imports all.
 */
const engines = ['docker', 'kubernetes', 'memory'];

/** Unit tests are next to their files. */
const notTests = '!**/*.test.ts';

/** The file that wires the layers. No other file imports it. */
const top = '**/main.ts';

/**
 * Modules that the dashboard shares with the service, in addition to `config` and `client`: events, reasons, their
 * words, and build steps.
 */
const sharedWithDashboard = ['build/build-steps', 'event/event', 'event/event-text', 'status/reason'].map(
  (name) => `src/deployment/${name}.ts`,
);

type Pattern = { group: string[]; message: string };

/** The linter's overrides, in the order in which they win. */
export function importRules(): { overrides: unknown[] } {
  const names = Object.keys(layers) as Layer[];
  const forbidden = (layer: Layer): Pattern => {
    const allowed: readonly string[] = [layer, ...layers[layer]];
    const others = names.filter((name) => !allowed.includes(name)).map((name) => `**/${name}/**`);
    return {
      group: [...others, top],
      message: `${layer} may not import this: imports point down only (docs/explanation/architecture.md)`,
    };
  };
  const otherEngines = (engine?: string): Pattern => ({
    group: engines.filter((name) => name !== engine).map((name) => `**/${name}/**`),
    message: 'engines are guests: what two of them need is in src/engine, and only its door knows them',
  });
  const fromTests: Pattern = {
    group: ['**/test/**'],
    message: 'only tests may import what is in test',
  };
  const withoutNode: Pattern = {
    group: ['node:*'],
    message: 'this runs in browsers too, which have no modules of Node (docs/explanation/architecture.md)',
  };
  const dashboard: Pattern = {
    group: [
      ...names.filter((name) => name !== 'config' && name !== 'client').map((name) => `**/src/${name}/**`),
      top,
      ...sharedWithDashboard.map((path) => `!**/${path}`),
    ],
    message:
      'web may import only config, the client, events, reasons and build steps (docs/explanation/architecture.md)',
  };
  return {
    overrides: [
      rule(['src/*.ts', notTests], [fromTests]),
      ...names.flatMap((layer) => [
        rule([`src/${layer}/**`], [forbidden(layer)]),
        rule([`src/${layer}/**`, notTests], [forbidden(layer), fromTests]),
      ]),
      ...[undefined, ...engines].flatMap((engine) => {
        const includes = engine ? [`src/engine/${engine}/**`] : ['src/engine/**', '!src/engine/open.ts'];
        const patterns = [forbidden('engine'), otherEngines(engine)];
        return [rule(includes, patterns), rule([...includes, notTests], [...patterns, fromTests])];
      }),
      rule(['src/config/**', notTests], [forbidden('config'), fromTests, withoutNode]),
      rule(['src/client/**', notTests], [forbidden('client'), fromTests, withoutNode]),
      rule(['web/src/**'], [dashboard]),
      rule(['web/src/**', notTests], [dashboard, fromTests]),
    ],
  };
}

function rule(includes: string[], patterns: Pattern[]) {
  const noRestrictedImports = { level: 'error', options: { patterns } };
  return { includes, linter: { rules: { style: { noRestrictedImports } } } };
}

export const rulesFile = join(import.meta.dirname, '../biome.layers.json');

if (import.meta.main) await writeFile(rulesFile, `${JSON.stringify(importRules(), undefined, 2)}\n`);
