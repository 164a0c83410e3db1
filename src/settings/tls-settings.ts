/** Settings of HTTPS: its port, and its certificates from files or from a certificate authority. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { split } from 'shlex';
import { integer, link, readWords, type SettingGroup, type Table, Unreadable } from './setting-values.ts';

type Authority = { acmeDirectory: URL | undefined; acmeRoot: string | undefined; acmeWeekly: number };

type WildcardRecords = { dnsHook: [string, ...string[]] | undefined; dnsPersist: boolean };

type TlsFiles = { httpsPort: number | undefined; tlsCertificates: string[] | undefined; tlsKeys: string[] | undefined };

export type TlsSettings = TlsFiles & Authority & WildcardRecords;

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
  acme: {
    variable: 'ACME',
    default: '',
    help: 'instead of files: ACME directory of a certificate authority, and your acceptance of its terms: "https://acme-v02.api.letsencrypt.org/directory terms=accepted"; optional: root=FILE with its root certificate, if this machine does not trust it, and weekly=50, the maximum number of new certificates in seven days, if each deployment has its own',
    isGroup: true,
    read: authority,
  },
  wildcardRecords: {
    variable: 'ACME_DNS',
    default: '',
    help: 'how TXT records are set for a wildcard certificate of *.<apps domain>: a command that sets and removes them, or persist for one permanent record (dns-persist-01); see docs/guides/get-certificates.md',
    isGroup: true,
    read: wildcardRecords,
  },
} satisfies Table<TlsFiles & { acme: Authority; wildcardRecords: WildcardRecords }> & {
  acme: SettingGroup<Authority>;
  wildcardRecords: SettingGroup<WildcardRecords>;
};

/** Limit of Let's Encrypt for each registered domain. */
const usualWeekly = 50;

/** `https://ca.example.com/directory terms=accepted root=/etc/ca.pem weekly=50` */
function authority(value: string): Authority {
  const [url = '', ...others] = value.trim().split(/\s+/);
  const acmeDirectory = directory(url);
  const fields = readWords(others.join(' '), ['terms', 'root', 'weekly']);
  if (fields.get('terms') !== 'accepted')
    throw new Unreadable("must have terms=accepted, which states that you accept the authority's terms");
  const [root, weekly] = [fields.get('root'), fields.get('weekly')];
  return {
    acmeDirectory,
    acmeRoot: root === undefined ? undefined : pemFile(root),
    acmeWeekly: weekly === undefined ? usualWeekly : integer(0, 1_000_000)(weekly),
  };
}

function wildcardRecords(value: string): WildcardRecords {
  const isPermanent = value === 'persist';
  return { dnsHook: isPermanent ? undefined : command(value), dnsPersist: isPermanent };
}

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
    throw new Unreadable('must be a command with an absolute path, such as /etc/berth/dns-hook, or persist');
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
      : [...mistakes, 'BERTH_HTTPS_PORT needs certificates: set BERTH_TLS_CERTIFICATE or BERTH_ACME too'];
  if (tlsCertificates?.length !== tlsKeys?.length)
    mistakes.push('BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY must name the same number of files, in the same order');
  if (baseUrl?.protocol !== 'https:') {
    const variable = hasFiles ? 'BERTH_TLS_CERTIFICATE' : 'BERTH_ACME';
    mistakes.push(`${variable} needs a BERTH_BASE_URL such as https://berth.example.com`);
  } else if ((httpsPort ?? portOf(baseUrl)) === port)
    mistakes.push(`BERTH_PORT is the same as the HTTPS port (${port}): set it to another port for HTTP, such as 80`);
  return mistakes;
}

function authorityMistakes(
  { acmeDirectory, dnsHook, dnsPersist, baseUrl, appsDomain }: Given,
  hasFiles: boolean,
): string[] {
  if (!acmeDirectory) return dnsHook || dnsPersist ? ['BERTH_ACME_DNS needs BERTH_ACME'] : [];
  const mistakes: string[] = [];
  if (hasFiles) mistakes.push('BERTH_ACME and BERTH_TLS_CERTIFICATE cannot be combined');
  const names = [baseUrl?.hostname, appsDomain].filter((name) => name !== undefined);
  const unknown = names.filter((name) => !name.includes('.') || name.endsWith('.localhost') || isIP(name) > 0);
  if (baseUrl?.protocol === 'https:' && unknown.length > 0)
    mistakes.push(`BERTH_ACME needs public DNS names, not ${unknown.join(' and ')}`);
  return mistakes;
}

/** The port where the edge serves HTTPS; undefined if the edge does not serve TLS. */
export function httpsPort(settings: Partial<TlsSettings>, baseUrl: URL): number | undefined {
  return settings.tlsCertificates || settings.acmeDirectory ? (settings.httpsPort ?? portOf(baseUrl)) : undefined;
}

/** The TLS settings of the edge. */
export function tlsOf(settings: TlsSettings & { baseUrl: URL; operatorMail: string | undefined }) {
  const { tlsCertificates = [], tlsKeys = [], httpsPort: port, baseUrl } = settings;
  const { acmeDirectory, acmeRoot, acmeWeekly, dnsHook, dnsPersist, operatorMail } = settings;
  if (port === undefined) return undefined;
  const own = { port, publicPort: portOf(baseUrl) };
  if (acmeDirectory) {
    const account = { directory: acmeDirectory, email: operatorMail, root: acmeRoot };
    const authority = { ...account, dnsHook, dnsPersist, maxInWeek: acmeWeekly };
    return { ...own, from: { kind: 'authority', authority } } as const;
  }
  const files = tlsCertificates.map((certificate, index) => ({ certificate, key: tlsKeys[index]! }));
  return { ...own, from: { kind: 'files', files } } as const;
}

function portOf({ port }: URL): number {
  return Number(port || 443);
}
