/** "Did you mean": the nearest of some names. Pure. */
import { closest, distance } from 'fastest-levenshtein';

/** Longest word that is compared: the effort grows with its square. */
const maxLength = 80;

/** The name that a word is most probably a slip of: at most a third of its letters differ. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > maxLength || names.length === 0) return undefined;
  const lower = word.toLowerCase().replace(/[_\s-]/g, '');
  const same = names.find((name) => name.toLowerCase().replace(/[_\s-]/g, '') === lower);
  if (same) return same;
  // Two swapped letters count as two edits, but are one typo.
  const swapped = names.find((name) => name.length === word.length && lettersOf(name) === lettersOf(word));
  if (swapped) return swapped;
  const candidates = names.filter((name) => name.length <= maxLength);
  if (candidates.length === 0) return undefined;
  const best = closest(word, candidates);
  return distance(word, best) <= Math.max(1, Math.floor(Math.min(word.length, best.length) / 3)) ? best : undefined;
}

function lettersOf(word: string): string {
  return Array.from(word.toLowerCase()).sort().join('');
}

/** Lower-case letters, digits and single hyphens, beginning with a letter; undefined when too little is left. */
export function toSlug(text: string, maxSlug = 63): string | undefined {
  const slug = text
    .slice(0, 256)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, maxSlug)
    .replace(/-+$/, '');
  return slug.length >= 2 ? slug : undefined;
}
