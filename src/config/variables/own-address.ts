/** Names of variables for the application's own address. Pure. */
import { wordsOf } from './secret-names.ts';

/** Words in names of the application's own address: `APP_URL`, `VIRTUAL_HOST`, `SITE_DOMAIN`. */
const own = new Set(
  (
    'APP APPLICATION BASE SITE PUBLIC ROOT NEXTAUTH BETTER AUTH NEXT VITE WEB WEBHOOK WEBSITE FRONTEND EXTERNAL ' +
    'CANONICAL DOMAIN VIRTUAL LETSENCRYPT MY FULL ALLOWED TRUSTED CORS CSRF ALLOW'
  ).split(' '),
);
/** A host alone is as often the address that a program listens at, or that of a database. */
const hostWords = /^(?:VIRTUAL|LETSENCRYPT|PUBLIC|SITE|EXTERNAL|ALLOWED|TRUSTED|CANONICAL)$/;
/** The domain of a cookie has no port. */
const hostOnly = /^(?:COOKIES?|SESSION)$/;
/** `MAIL_DOMAIN` and similar variables refer to other domains. */
const otherDomain = /^(?:AUTH0|MAIL|EMAIL|SMTP|NETWORK|LOCAL|SEARCH|LDAP|SEARCHDOMAIN)$/;

/** The scriptlet that replaces the value, if the variable is named like the application's own address. */
export function ownAddressFor(name: string): '<% URL %>' | '<% DOMAIN %>' | '<% HOST %>' | undefined {
  const words = wordsOf(name);
  const [last = ''] = words.slice(-1);
  const rest = words.slice(0, -1);
  if (/^(?:URL|URI|ORIGIN|ORIGINS)$/.test(last)) return rest.every((word) => own.has(word)) ? '<% URL %>' : undefined;
  if (last === 'DOMAIN' && rest.some((word) => hostOnly.test(word))) return '<% HOST %>';
  if (last === 'DOMAIN') return rest.some((word) => otherDomain.test(word)) ? undefined : '<% DOMAIN %>';
  const isHost = /^(?:HOST|HOSTS|HOSTNAME|FQDN)$/.test(last) && rest.some((word) => hostWords.test(word));
  return isHost ? '<% HOST %>' : undefined;
}
