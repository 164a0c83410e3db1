/** PURE. The settings, in Markdown. */
import { clientTable } from '../../src/settings/client-settings.ts';
import { clusterTable } from '../../src/settings/cluster-settings.ts';
import { imageTable } from '../../src/settings/image-settings.ts';
import { machineTable } from '../../src/settings/machine-settings.ts';
import { networkTable } from '../../src/settings/network-settings.ts';
import { patienceTable } from '../../src/settings/patience-settings.ts';
import { listSettings } from '../../src/settings/settings.ts';
import { signInTable } from '../../src/settings/sign-in-settings.ts';
import { tlsTable } from '../../src/settings/tls-settings.ts';
import { table } from './markdown.ts';

const groups: readonly [string, Readonly<Record<string, { variable: string }>>][] = [
  ['HTTPS and certificates', tlsTable],
  ['Limits of clients', clientTable],
  ['Resources of the machine', machineTable],
  ['Images', imageTable],
  ['Time limits', patienceTable],
  ['Network', networkTable],
  ['Kubernetes', clusterTable],
  ['Accounts, sign-in and mail', signInTable],
];

export function renderSettings(): string {
  const settings = listSettings();
  const namesOf = (group: Readonly<Record<string, { variable: string }>>) =>
    Object.values(group).map(({ variable }) => `BERTH_${variable}`);
  const grouped = groups.flatMap(([, group]) => namesOf(group));
  const section = (title: string, names: readonly string[]) => {
    const rows = settings
      .filter(({ name }) => names.includes(name))
      .map((setting) => [`\`${setting.name}\``, setting.default && `\`${setting.default}\``, linked(setting.help)]);
    return `## ${title}\n\n${table(['Variable', 'Default', 'Meaning'], rows)}`;
  };
  const general = settings.map(({ name }) => name).filter((name) => !grouped.includes(name));
  return [
    `# Settings

Settings are environment variables. \`npm run serve -- --help\` prints the same list. The service reports all mistakes
at once, and does not start until they are fixed.`,
    section('General', general),
    ...groups.map(([title, group]) => section(title, namesOf(group))),
  ].join('\n\n');
}

/** With links instead of names of pages. Addresses and places to fill in are code, or Markdown would read them otherwise. */
function linked(help: string): string {
  return help
    .replaceAll(/(?:\*\.)?<[\w @.]+>(?:\.<[\w ]+>)*(?:\/[\w.]+)*|[\w:]+:\/\/[^\s,;)"]+/g, (words) => `\`${words}\``)
    .replaceAll(/docs\/(\w+\/([\w-]+)\.md)/g, (_, path: string, name: string) => {
      return `[${name.replaceAll('-', ' ')}](../${path})`;
    });
}
