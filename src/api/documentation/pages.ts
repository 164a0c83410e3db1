/** The pages of the documentation, as texts: read once, in the order of `docs/contents.yaml`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../../../docs');

/** Each kind is a folder of `docs` and a part of the navigation. */
export const kinds = { start: 'Start', guides: 'Guides', reference: 'Reference', explanation: 'Explanation' } as const;
export type Kind = keyof typeof kinds;

/** `path`: below `/docs`, without an ending, such as `guides/go-public`. */
export type Page = { path: string; kind: Kind; title: string; text: string };

/** The address that the pages use for a service. */
const example = 'http://localhost:8080';

/** @param origin of this service, which replaces the address in the examples. */
export function readPages(origin: string): Page[] {
  const order = parse(readFileSync(join(folder, 'contents.yaml'), 'utf8')) as Record<Kind, string[]>;
  return (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    const names = existsSync(join(folder, kind)) ? readdirSync(join(folder, kind)) : [];
    const place = (name: string) => order[kind].indexOf(name) + 1 || Number.POSITIVE_INFINITY;
    return names
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -'.md'.length))
      .sort((a, b) => (place(a) === place(b) ? a.localeCompare(b) : place(a) - place(b)))
      .map((name) => readPage(kind, name, origin));
  });
}

function readPage(kind: Kind, name: string, origin: string): Page {
  // A generated page begins with a note for people who edit it.
  const text = readFileSync(join(folder, kind, `${name}.md`), 'utf8')
    .replace(/^<!--.*-->\s*/, '')
    .replaceAll(example, origin);
  return { path: `${kind}/${name}`, kind, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
}

/** The text with complete addresses instead of links that are relative to its own address. */
export function withCompleteLinks({ text, kind }: Page, origin: string): string {
  return text.replaceAll(/\]\(([\w./-]+\.(?:md|png|svg))/g, (_, link: string) => {
    return `](${origin}${posix.join('/docs', kind, link)}`;
  });
}
