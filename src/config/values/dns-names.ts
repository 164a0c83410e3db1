/** Names of applications and pods: the rules of DNS, and a name that keeps them. Pure. */
import { type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { replaceValue } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { applicationNamePattern, podNamePattern } from '../schema/field-rules.ts';

/** Reports a name that breaks its pattern, with one that does not. */
export function explainName(path: Path, name: string, says: string, source: Source, report: Report): void {
  const isPod = path.length > 2;
  const suggestion = suggestName(name, isPod);
  if (suggestion === undefined) {
    report.error(path, 'bad-name', `${quote(name)} ${says}`);
    return;
  }
  // Other pods may use the name: then to change it here alone would break them.
  const isUsed = isPod && source.text.includes(`${name}.pod`);
  const fix = isUsed ? undefined : replaceValue(source, path, suggestion);
  report.error(path, 'bad-name', `${quote(name)} ${says}`, { hint: `for example ${suggestion}`, fix });
}

function suggestName(name: string, isPod: boolean): string | undefined {
  const slug = toSlug(name);
  if (slug === undefined) return undefined;
  const pattern = new RegExp(isPod ? podNamePattern : applicationNamePattern);
  return [slug, `${slug}-app`].find((candidate) => pattern.test(candidate));
}
