/** The commands, settings and requests that the pages name exist. The tutorials are also executed: `test/docs`. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { split } from 'shlex';
import { parseAdminArguments } from '../../src/cli/admin/berth-admin.ts';
import { parseArguments } from '../../src/cli/arguments.ts';
import { describeSettings } from '../../src/settings/settings.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync(
  [
    '{README,CONTRIBUTING,AGENTS}.md',
    'docs/{start,guides,explanation}/*.md',
    'docs/reference/{api,auth,cli,compose}.md',
  ],
  {
    cwd: root,
  },
);
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** Variables of the command line and of a CI guide. */
const otherVariables = new Set(['BERTH_SERVER', 'BERTH_TOKEN', 'BERTH_PACKAGE']);

/** Paths that are not in the description of the API: pages, files, and other protocols. */
const otherPaths = new Set(['badge', 'd', 'git', 'llms', 'mcp', 'new']);

type Line = { page: string; words: string[] };

/** The words of each command in the shell blocks of a page, up to a pipe, a redirection or a comment. */
function commandsIn(page: string): Line[] {
  const blocks = [...textOf(page).matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)];
  const lines = blocks.flatMap(([, content = '']) => content.replaceAll('\\\n', ' ').split('\n'));
  return lines.map((line) => ({ page, words: wordsOf(line) })).filter(({ words }) => words.length > 0);
}

function wordsOf(line: string): string[] {
  const words = line.includes('<<') ? [] : split(line.replace(/(?<=^|\s)#.*$/, ''));
  const end = words.findIndex((word) => /^(?:\d?>|\||&&|;)/.test(word));
  return (end < 0 ? words : words.slice(0, end)).filter((word, index, all) => {
    // Variables before the command.
    return !/^\w+=/.test(word) || all.slice(0, index).some((earlier) => !/^\w+=/.test(earlier));
  });
}

const lines = pages.flatMap(commandsIn);

test('every berth command in a block of the docs has valid arguments', () => {
  const commands = lines
    .map(({ page, words }) => ({ page, words: words[0] === 'npx' ? words.slice(1) : words }))
    .filter(({ words }) => words[0] === 'berth');
  assert.ok(commands.length > 50, String(commands.length));
  const mistakes = commands.flatMap(({ page, words: [, ...words] }) => {
    const message = mistakeIn(words);
    return message === undefined ? [] : [`${page}: berth ${words.join(' ')}: ${message}`];
  });
  assert.deepEqual(mistakes, []);
});

test('every berth command in a sentence of the docs has a known name and known options', () => {
  const mistakes = pages.flatMap((page) => {
    const prose = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '');
    return [...prose.matchAll(/`berth ([a-z][^`]*)`/g)].flatMap(([, words = '']) => {
      const message = mistakeIn(split(words.replaceAll('…', '')));
      // A sentence may leave arguments out.
      return message === undefined || message.startsWith('Write: ') ? [] : [`${page}: berth ${words}: ${message}`];
    });
  });
  assert.deepEqual(mistakes, []);
});

function mistakeIn(words: string[]): string | undefined {
  // The name of a group of commands, and a placeholder.
  if (words.join(' ') === 'admin' || words.includes('COMMAND')) return undefined;
  if (words[0] === 'admin') {
    const parsed = parseAdminArguments(words.slice(1));
    return 'mistake' in parsed ? parsed.mistake : undefined;
  }
  const parsed = parseArguments(words);
  return parsed.kind === 'mistake' ? parsed.message : undefined;
}

test('every npm script in the docs exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/npm run ([\w:]+)/g)]
      .filter(([, name]) => !Object.hasOwn(scripts, name!))
      .map(([, name]) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('every setting in the docs exists', () => {
  const settings = new Set([...describeSettings().matchAll(/^ {2}(BERTH_\w+)/gm)].map(([, name]) => name));
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\bBERTH_[A-Z_]*[A-Z]\b/g)]
      .filter(([name]) => !settings.has(name) && !otherVariables.has(name))
      .map(([name]) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('every request in the docs has a path and parameters of the API', () => {
  const requests = readRequests();
  const mistakes = pages.flatMap((page) =>
    [...textOf(page).matchAll(/https?:\/\/(?:localhost:8080|berth\.example\.com)\/([A-Za-z]\w*)(?:\?([^\s'"`]*))?/g)]
      .filter(([, path]) => !otherPaths.has(path!))
      .flatMap(([, path, query = '']) => {
        const parameters = requests.get(path!);
        if (!parameters) return [`${page}: /${path}`];
        const names = [...query.matchAll(/(?:^|&)(\w+)=/g)].map(([, name]) => name!);
        return names.filter((name) => !parameters.has(name)).map((name) => `${page}: /${path}?${name}`);
      }),
  );
  assert.deepEqual(mistakes, []);
});

/** The query parameters of each path, from the generated page. Another test compares the page with the API. */
function readRequests(): Map<string, Set<string>> {
  const sections = textOf('docs/reference/requests.md').split(/^### /m);
  return new Map(
    sections.flatMap((section) => {
      const [, path] = /^(?:GET|POST|PUT|DELETE|PATCH) \/(\w+)/.exec(section) ?? [];
      const names = [...section.matchAll(/^\| `(\w+)`[^|]*\|[^|]*in the query/gm)].map(([, name]) => name!);
      return path === undefined ? [] : [[path, new Set(names)] as const];
    }),
  );
}
