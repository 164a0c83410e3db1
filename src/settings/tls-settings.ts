/** Settings of HTTPS: its port, and its certificates from files or from a certificate authority. */
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
    help: 'HTTPS port, if Berth has certificates; default: the port of BERTH_BASE_URL',
    read: integer(1, 65535),
  },
  tlsCertificates: {
    variable: 'TLS_CERTIFICATE',
    default: '',
    help: 'PEM files with the certificate chains of the API and of *.<apps domain>: /a.pem,/b.pem or one file for both',
    read: paths,
  },
  tlsKeys: {
    variable: 'TLS_KEY',
    default: '',
    help: 'PEM files with their private keys, in the same order',
    read: paths,
  },
  acmeDirectory: {
    variable: 'ACME_DIRECTORY',
    default: '',
    help: 'instead of files: ACME directory of a certificate authority, such as https://acme-v02.api.letsencrypt.org/directory',
    read: directory,
  },
  acmeEmail: { variable: 'ACME_EMAIL', default: '', help: 'contact address of the ACME account', read: email },
  acmeTerms: { variable: 'ACME_TERMS', default: '0', help: "1: you accept the authority's terms", read: flag },
  acmeRoot: {
    variable: 'ACME_ROOT',
    default: '',
    help: 'PEM file with the root certificate of the ACME directory, if this machine does not trust it',
    read: pemFile,
  },
  acmeWeekly: {
    variable: 'ACME_WEEKLY',
    default: '50',
    help: 'maximum number of new certificates in seven days, if each deployment has its own',
    read: integer(0, 1_000_000),
  },
  dnsHook: {
    variable: 'DNS_HOOK',
    default: '',
    help: 'command that sets and removes TXT records, for a wildcard certificate of *.<apps domain>; see docs/guides/get-certificates.md',
    read: command,
  },
  dnsPersist: {
    variable: 'DNS_PERSIST',
    default: '0',
    help: '1: use a permanent TXT record (dns-persist-01), for a wildcard certificate of *.<apps domain>; see docs/guides/get-certificates.md',
    read: flag,
  },
} satisfies { [K in keyof TlsSettings]: Setting<TlsSettings[K]> };

/** `/etc/berth/a.pem,/etc/berth/b.pem` */
function paths(value: string): string[] {
  const named = value.split(',').map((part) => part.trim());
  if (named.includes('')) throw new Unreadable('must be paths such as /etc/berth/api.pem,/etc/berth/apps.pem');
  return named.map((path) => resolve(path));
}

/** HTTPS is required, because account keys and orders are sent there. */
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

/** Splits the command into words by the rules of a shell. It never runs in a shell. */
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
    mistakes.push('BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY must name the same number of files, in the same order');
  if (baseUrl?.protocol !== 'https:') {
    const variable = hasFiles ? 'BERTH_TLS_CERTIFICATE' : 'BERTH_ACME_DIRECTORY';
    mistakes.push(`${variable} needs a BERTH_BASE_URL such as https://berth.example.com`);
  } else if ((httpsPort ?? portOf(baseUrl)) === port)
    mistakes.push(`BERTH_PORT is the same as the HTTPS port (${port}): set it to another port for HTTP, such as 80`);
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
  if (hasFiles) mistakes.push('BERTH_ACME_DIRECTORY and BERTH_TLS_CERTIFICATE cannot be combined');
  if (dnsHook && dnsPersist) mistakes.push('BERTH_DNS_HOOK and BERTH_DNS_PERSIST cannot be combined');
  if (!acmeTerms) mistakes.push("BERTH_ACME_TERMS=1 is required: it states that you accept the authority's terms");
  const names = [baseUrl?.hostname, appsDomain].filter((name) => name !== undefined);
  const unknown = names.filter((name) => !name.includes('.') || name.endsWith('.localhost') || isIP(name) > 0);
  if (baseUrl?.protocol === 'https:' && unknown.length > 0)
    mistakes.push(`BERTH_ACME_DIRECTORY needs public DNS names, not ${unknown.join(' and ')}`);
  return mistakes;
}

/** The port where the edge serves HTTPS; undefined if the edge does not serve TLS. */
export function httpsPort(settings: Partial<TlsSettings>, baseUrl: URL): number | undefined {
  return settings.tlsCertificates || settings.acmeDirectory ? (settings.httpsPort ?? portOf(baseUrl)) : undefined;
}

/** The TLS settings of the edge. */
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
