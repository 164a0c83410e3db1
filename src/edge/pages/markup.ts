/** Markup in which every inserted value is text unless it is markup itself. */
import { escapeHtml } from '../../lib/html.ts';

export type Html = { readonly markup: string };

type Inserted = string | number | Html | Html[] | undefined;

/** Escapes what it inserts, for element content and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: Inserted[]): Html {
  return { markup: strings.reduce((markup, text, index) => markup + insert(values[index - 1]) + text) };
}

/** Markup that is ours: a constant, never a value from outside. */
export function markup(text: string): Html {
  return { markup: text };
}

function insert(value: Inserted): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((part) => part.markup).join('');
  if (typeof value === 'object') return value.markup;
  return escapeHtml(String(value));
}
