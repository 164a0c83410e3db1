/**
 * `node scripts/docs/tls.ts` scans a HAProxy with Berth's options by `sslscan` (a Debian package), with a certificate
 * of each kind of key. It prints the lines of the table in docs/explanation/measurements.md.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEdge, stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { freePort } from '../../test/free-port.ts';
import { plainSettings } from '../../test/support/edge.ts';

const run = promisify(execFile);
const kinds = { ECDSA: ['ec', 'ec_paramgen_curve:P-256'], RSA: ['rsa', 'rsa_keygen_bits:2048'] } as const;

async function certificate(folder: string, [algorithm, option]: readonly [string, string]): Promise<string> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', algorithm, '-pkeyopt', option, '-nodes', '-days', '30'];
  await run('openssl', [
    ...request,
    '-subj',
    '/CN=scan.test',
    '-addext',
    'subjectAltName=DNS:scan.test',
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  const { stdout } = await run('cat', [cert, key]);
  return stdout;
}

/** The output of sslscan, line by line. */
async function scan(kind: keyof typeof kinds): Promise<string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-tls-'));
  const [port, httpsPort] = [await freePort(), await freePort()];
  try {
    await writeFile(join(dataDir, 'README'), 'Created by scripts/docs/tls.ts, which removes it.\n');
    const pem = await certificate(dataDir, kinds[kind]);
    const tls = { port: httpsPort, publicPort: httpsPort };
    const settings = { ...plainSettings, dataDir, port, tls };
    const quiet = { info: () => {}, warn: () => {} };
    const edge = await startEdge(settings, quiet, [], { certificates: [{ name: 'scan', pem }] });
    const { stdout } = await run('sslscan', ['--no-colour', '--sni-name=scan.test', `127.0.0.1:${httpsPort}`]);
    await edge.close();
    return stdout.split('\n').map((line) => line.trim());
  } finally {
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** sslscan repeats the groups for each connection. */
const reported = new Set<string>();
function row(what: string, says: string): void {
  const line = `| ${what} | ${says} |`;
  if (!reported.has(line)) console.log(line);
  reported.add(line);
}

for (const kind of ['ECDSA', 'RSA'] as const) {
  const lines = (await scan(kind)).filter((line) => !line.endsWith(':'));
  reported.clear();
  console.log(`\nWith a key of ${kind}:\n\n| | |\n|---|---|`);
  for (const line of lines) {
    const [, protocol, state] = /^((?:SSL|TLS)v[\d.]+)\s+(enabled|disabled)$/.exec(line) ?? [];
    if (protocol) row(protocol, state!);
    const [, version, cipher] = /^(?:Preferred|Accepted)\s+(TLSv[\d.]+)\s+\d+ bits\s+(\S+)/.exec(line) ?? [];
    if (version) row(version, `\`${cipher}\``);
    const [, group, bits] = /^TLSv[\d.]+\s+(\d+) bits\s+(.+)$/.exec(line) ?? [];
    if (group) row('group', `${bits} (${group} bits)`);
    if (/renegotiation|Compression|Fallback SCSV|not vulnerable|vulnerable to/.test(line)) row('also', line);
  }
}
