/** Checks scriptlets: only known ones are allowed, with any spacing. */
import { quote } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { replaceWithin } from '../document/edits.ts';
import { wantsHost } from '../software/software.ts';
import { scriptletsIn } from '../variables/scriptlets.ts';
import type { PodContext } from './context.ts';
import type { Text } from './text-checks.ts';

const names = ['URL', 'DOMAIN', 'HOST', 'REGISTRY'];

/** Names that they have in other systems. */
const meanings: Record<string, string> = { HOSTNAME: 'HOST', BASE_URL: 'URL', APP_URL: 'URL' };

export function checkScriptlets(texts: readonly Text[], { report, source }: PodContext): void {
  for (const { value, path, kind } of texts) {
    const said = new Set<string>();
    for (const { whole, inner, scriptlet } of scriptletsIn(value)) {
      // Templates (EJS, ERB, ASP) use the same delimiters. Berth's scriptlets are one word in upper case.
      const isTemplate = kind === 'content' && !/^[A-Z][A-Z_]*$/.test(inner);
      if (scriptlet || isTemplate || said.has(whole)) continue;
      said.add(whole);
      const meant = meanings[inner.toUpperCase()] ?? nearestName(inner.toUpperCase(), names);
      report.error(path, 'unknown-scriptlet', `${quote(whole)} is not known`, {
        hint: meant
          ? `did you mean <% ${meant} %>?`
          : 'known are <% URL %>, <% DOMAIN %>, <% HOST %>, <% REGISTRY %> and <% SECRET NAME %>',
        fix: meant === undefined ? undefined : replaceWithin(source, path, whole, `<% ${meant} %>`),
      });
    }
  }
}

/** A name and `@`, but not in an address such as `https://user:password@…`. */
const mailAddress = /(?<![\w.+:/-])[\w.+-]{1,64}@(<%\s{0,9}DOMAIN\s{0,9}%>)/;
const domain = /<%\s{0,9}DOMAIN\s{0,9}%>/;
const wholeUrl = /^<%\s{0,9}URL\s{0,9}%>$/;

/** `<% DOMAIN %>` has a port on some hosts, where only a host can be. */
export function checkHostOnly(texts: readonly Text[], { report, source }: PodContext): void {
  for (const { value, path, variable } of texts) {
    if (!value.includes('<%') || value.length > 8192) continue;
    const isHost = variable !== undefined && wantsHost(variable);
    const written = isHost ? (domain.exec(value) ?? wholeUrl.exec(value))?.[0] : mailAddress.exec(value)?.[1];
    if (written === undefined) continue;
    const where = isHost ? `${variable} accepts only a host` : 'an email address accepts only a host';
    const message = wholeUrl.test(written)
      ? `${where}, without "https://" and port`
      : `${where}, and ${written} may hold a port`;
    const fix = replaceWithin(source, path, written, '<% HOST %>');
    report.warn(path, 'host-with-port', message, { hint: 'write <% HOST %>', fix });
  }
}
