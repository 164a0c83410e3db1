/** Scriptlets: known ones in any spacing, nothing else. */
import { quote } from '../diagnostics.ts';
import { replaceWithin } from '../edits.ts';
import { scriptletsIn } from '../scriptlets.ts';
import { nearestName } from '../suggest.ts';
import type { PodContext } from './context.ts';
import type { Text } from './texts.ts';

const names = ['URL', 'DOMAIN', 'REGISTRY'];

/** What people call them elsewhere. */
const meanings: Record<string, string> = { HOST: 'DOMAIN', HOSTNAME: 'DOMAIN', BASE_URL: 'URL', APP_URL: 'URL' };

export function checkScriptlets(texts: readonly Text[], { report, source }: PodContext): void {
  for (const { value, path, kind } of texts) {
    const said = new Set<string>();
    for (const { whole, inner, scriptlet } of scriptletsIn(value)) {
      // Templates (EJS, ERB, ASP) have the same marks; ours are one word in upper case.
      const isTemplate = kind === 'content' && !/^[A-Z][A-Z_]*$/.test(inner);
      if (scriptlet || isTemplate || said.has(whole)) continue;
      said.add(whole);
      const meant = meanings[inner.toUpperCase()] ?? nearestName(inner.toUpperCase(), names);
      report.error(path, 'unknown-scriptlet', `${quote(whole)} is not known`, {
        hint: meant
          ? `did you mean <% ${meant} %>?`
          : 'known are <% URL %>, <% DOMAIN %>, <% REGISTRY %> and <% SECRET NAME %>',
        fix: meant === undefined ? undefined : replaceWithin(source, path, whole, `<% ${meant} %>`),
      });
    }
  }
}
