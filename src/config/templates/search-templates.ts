/** Finding templates by words. Pure. */
import { findByWords } from './find-by-words.ts';
import type { Template } from './template.ts';

type Searched = Pick<Template, 'name' | 'title' | 'description' | 'tags' | 'images'>;

export function searchTemplates<T extends Searched>(templates: readonly T[], search: string): T[] {
  return findByWords(templates, search, ({ name, title, description, tags, images }) => {
    return { text: [name, title, description, ...tags, ...images].join('\n'), names: [name, title] };
  });
}
