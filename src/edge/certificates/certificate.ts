/** A certificate with its chain and key, as texts of PEM: whether it can be served, and if not, why. Pure. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export type Certificate = {
  /** Chain and key in HAProxy's format: PEM blocks without other text. */
  pem: string;
  /** The server's certificate without its chain. */
  leaf: X509Certificate;
};

/** `because` is public: it contains nothing of the key. */
export type Reading = { ok: true; certificate: Certificate } | { ok: false; because: string };

/** A command must fit into the buffer of HAProxy's runtime socket. Three RSA 4096 keys need 11 KB. */
const longestPem = 15_000;

/** OpenSSL refuses shorter keys at Debian's security level, and HAProxy would not start. */
const shortestRsaBits = 2048;

/** @param chain the certificate of the server first, then that of each one's issuer. */
export function readCertificate(chain: string, key: string, now: number): Reading {
  const blocks = blocksOf(chain, 'CERTIFICATE');
  if (blocks.length === 0) return refuse('the certificate file holds no certificate in PEM form');
  const certificates = blocks.map((block) => attempt(() => new X509Certificate(block)));
  const unread = certificates.indexOf(undefined);
  if (unread >= 0) return refuse(`certificate ${unread + 1} of the file cannot be read`);
  const [leaf, ...issuers] = certificates as [X509Certificate, ...X509Certificate[]];
  const privateKey = readKey(key);
  if (typeof privateKey === 'string') return refuse(privateKey);
  if (!leaf.checkPrivateKey(privateKey)) return refuse('the private key belongs to another certificate');
  const stranger = issuers.findIndex(
    (issuer, index) => !(index === 0 ? leaf : issuers[index - 1]!).checkIssued(issuer),
  );
  if (stranger >= 0)
    return refuse(`its chain is broken: certificate ${stranger + 2} of the file did not issue the one before it`);
  const [from, until] = [leaf.validFromDate, leaf.validToDate];
  if (until.getTime() <= now) return refuse(`it has expired on ${until.toISOString()}`);
  if (from.getTime() > now) return refuse(`it is not valid before ${from.toISOString()}`);
  const pem = [...blocks, String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()].join('\n');
  if (pem.length > longestPem) return refuse(`certificate, chain and key are longer than ${longestPem} bytes`);
  return { ok: true, certificate: { pem: `${pem}\n`, leaf } };
}

/** Returns the hosts that none of these certificates covers. `*.example.com` stands for all names directly below. */
export function uncovered(certificates: readonly Certificate[], hosts: readonly string[]): string[] {
  const isFor = ({ leaf }: Certificate, host: string) => {
    const bare = host.replace(/^\[|\]$/g, '');
    if (isIP(bare)) return leaf.checkIP(bare) !== undefined;
    return leaf.checkHost(host.replace(/^\*\./, 'any-application.')) !== undefined;
  };
  return hosts.filter((host) => !certificates.some((certificate) => isFor(certificate, host)));
}

/** Returns the key, or the reason why it is not valid. */
function readKey(text: string): KeyObject | string {
  const blocks = [...blocksOf(text, 'PRIVATE KEY'), ...blocksOf(text, 'EC PRIVATE KEY')];
  const [block, ...more] = [...blocks, ...blocksOf(text, 'RSA PRIVATE KEY')];
  if (text.includes('ENCRYPTED')) return 'the private key is encrypted; the service cannot enter its passphrase';
  if (block === undefined) return 'the key file holds no private key in PEM form';
  if (more.length > 0) return 'the key file holds several private keys';
  const key = attempt(() => createPrivateKey(block));
  if (!key) return 'the private key cannot be read';
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = key;
  // Browsers do not support other types.
  if (type !== 'rsa')
    return type === 'ec' ? key : `a private key of the kind ${type} is of no use: EC or RSA is needed`;
  const bits = details?.modulusLength ?? 0;
  return bits < shortestRsaBits ? `its RSA key has ${bits} bits; ${shortestRsaBits} are the least` : key;
}

function blocksOf(text: string, label: string): string[] {
  const block = new RegExp(`-----BEGIN ${label}-----\\s[\\sA-Za-z0-9+/=]*-----END ${label}-----`, 'g');
  // HAProxy interprets an empty line as the end of its input.
  return (text.match(block) ?? []).map((found) => found.replaceAll(/\s*\r?\n\s*/g, '\n'));
}

function refuse(because: string): Reading {
  return { ok: false, because };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
