/** Finding templates by words. Pure. */
import type { Template } from './template.ts';

type Searched = Pick<Template, 'name' | 'title' | 'description' | 'tags' | 'images'>;

/** Those in which every word stands, those before all others whose name or title begins with the first word. */
export function searchTemplates<T extends Searched>(templates: readonly T[], search: string): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = templates.filter((template) => {
    const text = textOf(template);
    return words.every((word) => text.includes(word));
  });
  const isNamed = ({ name, title }: Searched) =>
    words.length > 0 && [name, title.toLowerCase()].some((each) => each.startsWith(words[0]!));
  return [...found.filter(isNamed), ...found.filter((template) => !isNamed(template))];
}

function textOf({ name, title, description, tags, images }: Searched): string {
  return [name, title, description, ...tags, ...images].join('\n').toLowerCase();
}
