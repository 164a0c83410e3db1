/** PURE. The settings, in Markdown. */
import { settingSections } from '../../src/settings/settings.ts';
import { table } from './markdown.ts';

export function renderSettings(): string {
  return [
    `# Settings

Settings are environment variables. \`npm run serve -- --help\` prints the same list. The service reports all mistakes
at once, and does not start until they are fixed.`,
    ...settingSections.map(([title, settings]) => {
      const rows = Object.values(settings).map(({ variable, default: standard, help }) => {
        return [`\`BERTH_${variable}\``, standard && `\`${standard}\``, linked(help)];
      });
      return `## ${title}\n\n${table(['Variable', 'Default', 'Meaning'], rows)}`;
    }),
  ].join('\n\n');
}

/**
 * Replaces names of pages with links. Addresses and placeholders become code, because Markdown would interpret them.
 */
function linked(help: string): string {
  return help
    .replaceAll(/(?:\*\.)?<[\w @.]+>(?:\.<[\w ]+>)*(?:\/[\w.]+)*|[\w:]+:\/\/[^\s,;)"]+/g, (words) => `\`${words}\``)
    .replaceAll(/docs\/(\w+\/([\w-]+)\.md)/g, (_, path: string, name: string) => {
      return `[${name.replaceAll('-', ' ')}](../${path})`;
    });
}
