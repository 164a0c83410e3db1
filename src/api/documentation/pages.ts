/** The pages of the documentation, as texts: read once, in the order of `docs/contents.yaml`. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../../../docs');

/** `path`: below `/docs`, without an extension, such as `guides/go-public`. */
export type Page = { path: string; title: string; text: string };
/** A part of the navigation. `folder`: of its pages. */
export type Part = { title: string; folder: string; pages: Page[] };

type Contents = { title: string; folder: string; pages: string[] }[];

export function readParts(): Part[] {
  const contents = parse(readFileSync(join(folder, 'contents.yaml'), 'utf8')) as Contents;
  return contents.map(({ title, folder: kind, pages }) => {
    return { title, folder: kind, pages: pages.map((name) => readPage(`${kind}/${name}`)) };
  });
}

function readPage(path: string): Page {
  const text = withoutNotes(readFileSync(join(folder, `${path}.md`), 'utf8'));
  return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text };
}

/** Removes comments for editors of the page, which mark generated parts. */
export function withoutNotes(text: string): string {
  return text.replaceAll(/^<!-- .* -->\n+/gm, '');
}

/** The text with complete addresses instead of links that are relative to its own address. */
export function withCompleteLinks({ text, path }: Page, origin: string): string {
  return text.replaceAll(/\]\(([\w./-]+\.(?:md|png|svg))/g, (_, link: string) => {
    return `](${origin}${posix.join('/docs', posix.dirname(path), link)}`;
  });
}
