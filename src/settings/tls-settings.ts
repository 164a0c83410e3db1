/** The settings of HTTPS: where it is served, and the certificates for it: in files, or of an authority. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { split } from 'shlex';
import { email, flag, integer, link, type Setting, Unreadable } from './setting-values.ts';

export type TlsSettings = {
  httpsPort: number | undefined;
  tlsCertificates: string[] | undefined;
  tlsKeys: string[] | undefined;
  acmeDirectory: URL | undefined;
  acmeEmail: string | undefined;
  acmeTerms: boolean;
  acmeRoot: string | undefined;
  acmeWeekly: number;
  dnsHook: [string, ...string[]] | undefined;
  dnsPersist: boolean;
};

export const tlsTable = {
  httpsPort: {
    variable: 'HTTPS_PORT',
    default: '',
    help: 'port of HTTPS, where this service has certificates; default: that of BERTH_BASE_URL',
    read: integer(1, 65535),
  },
  tlsCertificates: {
    variable: 'TLS_CERTIFICATE',
    default: '',
    help: 'files of certificates with their chains (PEM), of the API and of *.<apps domain>: /a.pem,/b.pem or one for both',
    read: paths,
  },
  tlsKeys: { variable: 'TLS_KEY', default: '', help: 'and of their private keys, in the same order', read: paths },
  acmeDirectory: {
    variable: 'ACME_DIRECTORY',
    default: '',
    help: "instead of files: an authority's directory, such as https://acme-v02.api.letsencrypt.org/directory",
    read: directory,
  },
  acmeEmail: { variable: 'ACME_EMAIL', default: '', help: 'where the authority writes to', read: email },
  acmeTerms: { variable: 'ACME_TERMS', default: '0', help: "1: the authority's terms are accepted", read: flag },
  acmeRoot: {
    variable: 'ACME_ROOT',
    default: '',
    help: 'file with the root (PEM) by which the directory is known, where this machine does not trust it',
    read: pemFile,
  },
  acmeWeekly: {
    variable: 'ACME_WEEKLY',
    default: '50',
    help: 'new certificates for deployments in seven days, where each has one of its own',
    read: integer(0, 1_000_000),
  },
  dnsHook: {
    variable: 'DNS_HOOK',
    default: '',
    help: 'command that sets and removes TXT records, for one certificate of *.<apps domain>; see docs/going-public.md',
    read: command,
  },
  dnsPersist: {
    variable: 'DNS_PERSIST',
    default: '0',
    help: '1: the authority finds a TXT record that stays (dns-persist-01), for one certificate of *.<apps domain>; see docs/going-public.md',
    read: flag,
  },
} satisfies { [K in keyof TlsSettings]: Setting<TlsSettings[K]> };

/** `/etc/berth/a.pem,/etc/berth/b.pem` */
function paths(value: string): string[] {
  const named = value.split(',').map((part) => part.trim());
  if (named.includes('')) throw new Unreadable('must be paths such as /etc/berth/api.pem,/etc/berth/apps.pem');
  return named.map((path) => resolve(path));
}

/** Keys of accounts and orders go there. */
function directory(value: string): URL {
  const url = link(value);
  if (url.protocol !== 'https:') throw new Unreadable('must be an address such as https://ca.example.com/directory');
  return url;
}

function pemFile(value: string): string {
  try {
    return readFileSync(value, 'utf8');
  } catch (error) {
    throw new Unreadable(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Words as a shell reads them; no shell ever does. */
function command(value: string): [string, ...string[]] {
  let words: string[] = [];
  try {
    words = split(value);
  } catch {}
  const [program, ...others] = words;
  if (program === undefined || !isAbsolute(program))
    throw new Unreadable('must be a command with an absolute path, such as /etc/berth/dns-hook');
  return [program, ...others];
}

type Given = Partial<TlsSettings> & { baseUrl?: URL; appsDomain?: string; port?: number };

export function tlsMistakes(given: Given): string[] {
  const { tlsCertificates, tlsKeys, acmeDirectory, httpsPort, baseUrl, port } = given;
  const hasFiles = tlsCertificates !== undefined || tlsKeys !== undefined;
  const mistakes = authorityMistakes(given, hasFiles);
  if (!hasFiles && !acmeDirectory)
    return httpsPort === undefined
      ? mistakes
      : [...mistakes, 'BERTH_HTTPS_PORT needs certificates: set BERTH_TLS_CERTIFICATE or BERTH_ACME_DIRECTORY too'];
  if (tlsCertificates?.length !== tlsKeys?.length)
    mistakes.push('BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY name as many files each, in the same order');
  if (baseUrl?.protocol !== 'https:') {
    const variable = hasFiles ? 'BERTH_TLS_CERTIFICATE' : 'BERTH_ACME_DIRECTORY';
    mistakes.push(`${variable} needs a BERTH_BASE_URL such as https://berth.example.com`);
  } else if ((httpsPort ?? portOf(baseUrl)) === port)
    mistakes.push(`BERTH_PORT is that of HTTPS too (${port}): set it to another one, for HTTP, such as 80`);
  return mistakes;
}

function authorityMistakes(
  { acmeDirectory, acmeEmail, acmeTerms, acmeRoot, dnsHook, dnsPersist, baseUrl, appsDomain }: Given,
  hasFiles: boolean,
): string[] {
  if (!acmeDirectory) {
    const set = { DNS_PERSIST: dnsPersist || undefined, ACME_TERMS: acmeTerms || undefined };
    const alone = { ACME_EMAIL: acmeEmail, ACME_ROOT: acmeRoot, DNS_HOOK: dnsHook, ...set };
    return Object.entries(alone)
      .filter(([, value]) => value !== undefined)
      .map(([variable]) => `BERTH_${variable} needs BERTH_ACME_DIRECTORY`);
  }
  const mistakes: string[] = [];
  if (hasFiles) mistakes.push('BERTH_ACME_DIRECTORY and BERTH_TLS_CERTIFICATE exclude one another');
  if (dnsHook && dnsPersist) mistakes.push('BERTH_DNS_HOOK and BERTH_DNS_PERSIST exclude one another');
  if (!acmeTerms) mistakes.push("BERTH_ACME_TERMS=1 is needed: it says that you accept the authority's terms");
  const names = [baseUrl?.hostname, appsDomain].filter((name) => name !== undefined);
  const unknown = names.filter((name) => !name.includes('.') || name.endsWith('.localhost') || isIP(name) > 0);
  if (baseUrl?.protocol === 'https:' && unknown.length > 0)
    mistakes.push(`BERTH_ACME_DIRECTORY needs names that the authority finds in DNS, not ${unknown.join(' and ')}`);
  return mistakes;
}

/** Where the edge serves HTTPS; undefined where somebody in front of it speaks TLS, or nobody does. */
export function httpsPort(settings: Partial<TlsSettings>, baseUrl: URL): number | undefined {
  return settings.tlsCertificates || settings.acmeDirectory ? (settings.httpsPort ?? portOf(baseUrl)) : undefined;
}

/** What the edge is told of it. */
export function tlsOf(settings: TlsSettings & { baseUrl: URL }) {
  const { tlsCertificates = [], tlsKeys = [], httpsPort: port, baseUrl } = settings;
  const { acmeDirectory, acmeEmail, acmeRoot, acmeWeekly, dnsHook, dnsPersist } = settings;
  if (port === undefined) return undefined;
  const own = { port, publicPort: portOf(baseUrl) };
  if (acmeDirectory) {
    const account = { directory: acmeDirectory, email: acmeEmail, root: acmeRoot };
    const authority = { ...account, dnsHook, dnsPersist, mostInWeek: acmeWeekly };
    return { ...own, from: { kind: 'authority', authority } } as const;
  }
  const files = tlsCertificates.map((certificate, index) => ({ certificate, key: tlsKeys[index]! }));
  return { ...own, from: { kind: 'files', files } } as const;
}

function portOf({ port }: URL): number {
  return Number(port || 443);
}
