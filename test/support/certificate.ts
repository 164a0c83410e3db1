/** Certificates of a test's own, for names and addresses of stand-ins; the program `openssl` makes them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `names`: as `DNS:a.example` or `IP:127.0.0.1`. It is its own authority. */
export async function makeCertificate(...names: string[]): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=a test', '-addext', `subjectAltName=${names.join(',')}`, '-keyout', key, '-out', cert],
    ]);
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export type Pair = { key: string; cert: string };

/** An authority: its own certificate, and an intermediate one that issues for servers. */
export type Authority = {
  root: string;
  /** `names` as above. The chain is the certificate and the intermediate one. */
  issue(names: readonly string[], options?: { notAfter?: Date; kind?: 'ec' | 'rsa' }): Promise<Pair>;
};

export async function makeAuthority(): Promise<Authority> {
  const root = await issueWith(undefined, ['basicConstraints=critical,CA:true'], 'A root for tests');
  const middle = await issueWith(root, ['basicConstraints=critical,CA:true,pathlen:0'], 'An authority for tests');
  return {
    root: root.cert,
    async issue(names, options = {}) {
      const extensions = [`subjectAltName=${names.join(',')}`, 'extendedKeyUsage=serverAuth'];
      const { key, cert } = await issueWith(middle, extensions, 'a server', options);
      return { key, cert: cert + middle.cert };
    },
  };
}

/** `issuer` absent: by itself. */
async function issueWith(
  issuer: Pair | undefined,
  extensions: readonly string[],
  subject: string,
  { notAfter = new Date(Date.now() + 48 * 3_600_000), kind = 'ec' }: { notAfter?: Date; kind?: 'ec' | 'rsa' } = {},
): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-certificate-'));
  const at = (name: string) => join(folder, name);
  const algorithm = kind === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['rsa:2048'];
  try {
    await run('openssl', [
      ...['req', '-new', '-newkey', ...algorithm, '-nodes', '-subj', `/CN=${subject}`],
      ...['-keyout', at('key.pem'), '-out', at('request.pem')],
    ]);
    await writeFile(at('extensions'), ['subjectKeyIdentifier=hash', ...extensions].join('\n'));
    if (issuer) await writeFile(at('issuer.pem'), issuer.cert + issuer.key);
    // `ca` alone takes instants, and it wants a list of what it has issued.
    await writeFile(at('index'), '');
    await writeFile(
      at('config'),
      `[ca]\ndefault_ca=it\n[it]\ndatabase=${at('index')}\nnew_certs_dir=${folder}\nrand_serial=yes\npolicy=any\n[any]\ncommonName=supplied\n`,
    );
    const time = (date: Date) => date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
    const by = issuer
      ? ['-cert', at('issuer.pem'), '-keyfile', at('issuer.pem')]
      : ['-selfsign', '-keyfile', at('key.pem')];
    await run('openssl', [
      ...['ca', '-batch', '-notext', '-md', 'sha256', '-config', at('config'), '-in', at('request.pem')],
      ...['-extfile', at('extensions'), '-out', at('cert.pem'), ...by],
      ...['-startdate', time(new Date(Date.now() - 3_600_000)), '-enddate', time(notAfter)],
    ]);
    return { key: await readFile(at('key.pem'), 'utf8'), cert: await readFile(at('cert.pem'), 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
