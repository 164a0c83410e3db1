/** A text of the documentation → a page. Whatever is HTML in it is shown as text. Pure. */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../lib/html.ts';
import { headingIds } from './heading-ids.ts';
import { framedPage, onThisPage } from './page-frame.ts';
import { kinds, type Page } from './pages.ts';

type Heading = { id: string; words: string; depth: number };

/** @param pages for the navigation. */
export function documentPage({ path, title: name, text, kind }: Page, pages: readonly Page[]): string {
  const { html, headings } = render(text, kind);
  const [title] = headings;
  const parts = headings.filter(({ depth }) => depth === 2);
  const list =
    parts.length === 0
      ? ''
      : `<ul>${parts.map(({ id, words }) => `<li><a href="#${id}">${escapeHtml(words)}</a>`).join('\n')}</ul>`;
  const entry = (page: Page) => {
    const isThis = page.path === path;
    const words = escapeHtml(page.title);
    return `<li><a href="/docs/${page.path}"${isThis ? ' aria-current="page"' : ''}>${words}</a>${isThis ? list : ''}`;
  };
  const groups = Object.entries(kinds).map(([kind, heading]) => {
    const own = pages.filter((page) => page.kind === kind);
    return own.length && `<h2>${heading}</h2><ul>${own.map(entry).join('\n')}</ul>`;
  });
  const [first, rest] = afterTitle(html);
  return framedPage(
    {
      title: `${title?.words ?? name} · Berth`,
      asideLabel: 'Documentation',
      aside: groups.filter(Boolean).join('\n'),
      main: `<article class="document">${first}<p class="soft"><a href="/docs/${path}.md">As Markdown</a></p>${onThisPage(list)}${rest}</article>`,
    },
    `/docs/${path}`,
  );
}

function afterTitle(html: string): [string, string] {
  const end = html.indexOf('</h1>') + '</h1>'.length;
  return html.includes('</h1>') ? [html.slice(0, end), html.slice(end)] : ['', html];
}

function render(text: string, kind: string): { html: string; headings: Heading[] } {
  const idOf = headingIds();
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const [id, words] = [escapeHtml(idOf(text)), wordsOf(tokens)];
        headings.push({ id, words, depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = targetOf(href, kind);
        return target === undefined ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
      image: ({ href, text }) => picture(href, text),
      // Who uses the keyboard can scroll what is wider than the page.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(text, { async: false }), headings };
}

/** Without what it looks like. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return wordsOf(token.tokens);
      return 'text' in token ? token.text : '';
    })
    .join('');
}

/** The absolute path of a link to another page; undefined for a link that a page must not contain. */
function targetOf(href: string, kind: string): string | undefined {
  const [, page, heading = ''] = /^([\w./-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (page) return `${posix.join('/docs', kind, page)}${heading}`;
  return /^(?:https?:\/\/|#|\/(?!\/))/.test(href) ? href : undefined;
}

/** One of the folder `pictures`, of which there is one for the day (`…-light.png`) and one for the night. */
function picture(href: string, words: string): string {
  const [, file] = /^\.\.\/pictures\/([\w-]+)-light\.png$/.exec(href) ?? [];
  if (file === undefined) return escapeHtml(words);
  const at = (theme: string) => `/docs/pictures/${file}-${theme}.png`;
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${at('dark')}"><img src="${at('light')}" alt="${escapeHtml(words)}" loading="lazy"></picture>`;
}
