/**
 * The cost of an edge with very many certificates: its start, the takeover of a HAProxy that serves them, and one more.
 */
import { webcrypto } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { edgePaths } from '../src/edge/edge-paths.ts';
import { startEdge, stopEdge } from '../src/edge/haproxy/haproxy.ts';
import { describeRunning } from '../src/edge/haproxy/runtime-socket.ts';
import type { NamedCertificate } from '../src/edge/haproxy/served-certificates.ts';
import { freePort } from '../test/free-port.ts';
import { plainSettings } from '../test/support/edge.ts';
import type { Undo } from './undo.ts';

export type CertificateOptions = { count: number; changes: number };

/** Milliseconds, and bytes of HAProxy's memory with one certificate and with all. */
export type CertificateTimes = {
  count: number;
  startMs: number;
  takeOverMs: number;
  oneMoreMs: number[];
  bytes: { few: number; all: number };
};

const quiet = { info: () => {}, warn: () => {} };

export async function measureCertificates(
  { count, changes }: CertificateOptions,
  undo: Undo,
  signal: AbortSignal,
): Promise<CertificateTimes> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  undo.add(`end HAProxy of ${dataDir}`, async () => {
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const [port, httpsPort] = [await freePort(), await freePort()];
  const tls = { port: httpsPort, publicPort: httpsPort, isIssued: true };
  const settings = { ...plainSettings, dataDir, port, tls };
  const make = await certificateMaker();
  const first = await make('berth.test');
  const certificates = [first];
  for (let number = 1; number < count; number++) {
    signal.throwIfAborted();
    certificates.push(await make(`site-${number}.apps.test`));
  }
  const open = (some: NamedCertificate[]) => startEdge(settings, quiet, [], { certificates: some });

  const small = await open([first]);
  const few = await memoryOf(dataDir);
  await small.close();
  await stopEdge(dataDir);

  const [startMs, edge] = await timed(() => open(certificates));
  const all = await memoryOf(dataDir);
  await edge.close();
  const [takeOverMs, again] = await timed(() => open(certificates));
  const oneMoreMs: number[] = [];
  for (let number = 0; number < changes; number++) {
    signal.throwIfAborted();
    certificates.push(await make(`more-${number}.apps.test`));
    oneMoreMs.push((await timed(() => again.certify([...certificates])))[0]);
  }
  await again.close();
  return { count, startMs, takeOverMs, oneMoreMs, bytes: { few, all } };
}

/** Each has a name of its own; the key is the same, which HAProxy does not notice. */
async function certificateMaker(): Promise<(host: string) => Promise<NamedCertificate>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`;
  type SelfSigned = Parameters<typeof X509CertificateGenerator.createSelfSigned>[0];
  return async (host) => {
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${host}`,
      notBefore: new Date(0),
      notAfter: new Date('2099-01-01'),
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
      // Browsers' types know fewer usages of keys.
      keys: keys as SelfSigned['keys'],
    });
    return { name: host, host, pem: `${certificate.toString('pem').trim()}\n${key}` };
  };
}

async function memoryOf(dataDir: string): Promise<number> {
  const running = await describeRunning(edgePaths(dataDir).adminSocket);
  const status = await readFile(`/proc/${running!.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begunAt = performance.now();
  const value = await work();
  return [performance.now() - begunAt, value];
}
