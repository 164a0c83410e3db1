/** Finding templates by words. Pure. */
import type { Template } from './template.ts';

type Searched = Pick<Template, 'name' | 'title' | 'description' | 'tags' | 'images'>;

export function searchTemplates<T extends Searched>(templates: readonly T[], search: string): T[] {
  return findByWords(templates, search, ({ name, title, description, tags, images }) => {
    return { text: [name, title, description, ...tags, ...images].join('\n'), names: [name, title] };
  });
}

/** Searches entries by a few words. Pure. */

type Texts = {
  /** The whole text to search. */
  text: string;
  /** The names of the entry. */
  names: readonly string[];
};

/**
 * Returns the entries whose text contains every word. Entries with a name that begins with the first word come first.
 */
export function findByWords<T>(all: readonly T[], typed: string, textsOf: (one: T) => Texts): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.flatMap((one) => {
    const { text, names } = textsOf(one);
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return [];
    const isNamed = words.length > 0 && names.some((name) => name.toLowerCase().startsWith(words[0]!));
    return [{ one, isNamed }];
  });
  return [...found.filter(({ isNamed }) => isNamed), ...found.filter(({ isNamed }) => !isNamed)].map(({ one }) => one);
}
