/** The help of the command line, in Markdown. */
import { admin } from '../../src/cli/admin/berth-admin.ts';
import { helpText } from '../../src/cli/arguments.ts';
import { type Command, commands, common, type Flag } from '../../src/cli/command-table.ts';
import type { Streams } from '../../src/cli/terminal.ts';
import { table } from './markdown.ts';

export async function renderCommands(): Promise<string> {
  const own = Object.entries<Command>(commands).map(([name, { words, help, flags }]) => {
    return [`## berth ${[name, ...words].join(' ')}`, sentence(help), flagTable(flags)].filter(Boolean).join('\n\n');
  });
  const help = await adminHelp([]);
  const names = [...help.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map(([, name]) => name!);
  const further = await Promise.all(
    names.map(async (name) => {
      const more = (await adminHelp([name])).slice(help.length).trim();
      return more && `### berth admin ${name}\n\n${block(more)}`;
    }),
  );
  return [
    `# Commands

The help of each command of \`berth\`. [The command line](cli.md) explains how they work together.`,
    block(helpText()),
    'Commands that send requests to a service accept these options in addition to their own:',
    flagTable(common),
    ...own,
    '## berth admin',
    block(help),
    ...further.filter(Boolean),
  ].join('\n\n');
}

async function adminHelp(words: string[]): Promise<string> {
  const written: string[] = [];
  const stream = { write: (text: string) => void written.push(text) };
  await admin([...words, '--help'], { stdout: stream, stderr: stream, env: {} } as unknown as Streams);
  return written.join('');
}

function flagTable(flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(([name, { short, value, help }]) => {
    return [`\`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}\``, help];
  });
  return rows.length > 0 ? table(['Option', 'Meaning'], rows) : '';
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}

function block(text: string): string {
  return `\`\`\`text\n${text.replace(/^\n+|\s+$/g, '')}\n\`\`\``;
}
