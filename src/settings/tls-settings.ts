/** The settings of HTTPS: where it is served, and the certificates for it. */
import { resolve } from 'node:path';
import { integer, type Setting, Unreadable } from './setting-values.ts';

export type TlsSettings = {
  httpsPort: number | undefined;
  tlsCertificates: string[] | undefined;
  tlsKeys: string[] | undefined;
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
} satisfies { [K in keyof TlsSettings]: Setting<TlsSettings[K]> };

/** `/etc/berth/a.pem,/etc/berth/b.pem` */
function paths(value: string): string[] {
  const named = value.split(',').map((part) => part.trim());
  if (named.includes('')) throw new Unreadable('must be paths such as /etc/berth/api.pem,/etc/berth/apps.pem');
  return named.map((path) => resolve(path));
}

type Given = Partial<TlsSettings> & { baseUrl?: URL; port?: number };

export function tlsMistakes({ tlsCertificates, tlsKeys, httpsPort, baseUrl, port }: Given): string[] {
  if (!tlsCertificates && !tlsKeys)
    return httpsPort === undefined ? [] : ['BERTH_HTTPS_PORT needs certificates: set BERTH_TLS_CERTIFICATE too'];
  const mistakes: string[] = [];
  if (tlsCertificates?.length !== tlsKeys?.length)
    mistakes.push('BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY name as many files each, in the same order');
  if (baseUrl?.protocol !== 'https:')
    mistakes.push('BERTH_TLS_CERTIFICATE needs a BERTH_BASE_URL such as https://berth.example.com');
  else if ((httpsPort ?? portOf(baseUrl)) === port)
    mistakes.push(`BERTH_PORT is that of HTTPS too (${port}): set it to another one, for HTTP, such as 80`);
  return mistakes;
}

/** Where the edge serves HTTPS; undefined where somebody in front of it speaks TLS, or nobody does. */
export function httpsPort(settings: Partial<TlsSettings>, baseUrl: URL): number | undefined {
  return settings.tlsCertificates && (settings.httpsPort ?? portOf(baseUrl));
}

/** What the edge is told of it. */
export function tlsOf({
  tlsCertificates = [],
  tlsKeys = [],
  httpsPort: port,
  baseUrl,
}: TlsSettings & { baseUrl: URL }) {
  if (port === undefined) return undefined;
  const files = tlsCertificates.map((certificate, index) => ({ certificate, key: tlsKeys[index]! }));
  return { port, publicPort: portOf(baseUrl), files };
}

function portOf({ port }: URL): number {
  return Number(port || 443);
}
