/** A real authority of the test's own: Debian's pebble, and a DNS server in which names are what the test says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { makeAuthority } from '../support/certificate.ts';
import { eventually } from '../support/edge.ts';

export type Pebble = {
  directory: string;
  /** A file with the root by which the directory is known. */
  rootFile: string;
  /** Returns the root of the issued certificates. */
  root(): Promise<string>;
  /** `BERTH_ACME_DNS`: sets records at the DNS server. */
  hook: string;
  /** The authority finds this name at another address than all others, from now on; undefined: as all others. */
  find(name: string, address: string | undefined): Promise<void>;
  /** The names in its orders. */
  asked(): string[];
  /** How many certificates it has issued. */
  issued(): number;
  /** The authority is away; names are not. */
  end(): Promise<void>;
  close(): Promise<void>;
};

/**
 * `httpPort`: where it looks for challenges, at 127.0.0.1, for any name. `lifeSeconds`: of its certificates.
 * `isTrusting`: it accepts every challenge.
 */
export async function startPebble(
  httpPort: number,
  { lifeSeconds = 90 * 86_400, isTrusting = false } = {},
): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-pebble-'));
  const authority = await makeAuthority();
  const own = await authority.issue(['IP:127.0.0.1']);
  const at = (name: string) => join(folder, name);
  const [port, management] = [await freePort(), await freePort()];
  const [dns, dnsManagement] = [await freePort(), await freePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: at('own.pem'),
    privateKey: at('own.key'),
    httpPort,
    tlsPort: httpPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    certificateValidityPeriod: lifeSeconds,
  };
  await Promise.all([
    writeFile(at('own.pem'), own.cert),
    writeFile(at('own.key'), own.key),
    writeFile(at('root.pem'), authority.root),
    writeFile(at('pebble.json'), JSON.stringify({ pebble })),
  ]);
  const addresses = ['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', `127.0.0.1:${dns}`];
  const unused = ['-http01', '', '-https01', '', '-tlsalpn01', ''];
  const names = program('pebble-challtestsrv', [
    ...addresses,
    ...unused,
    ...['-management', `127.0.0.1:${dnsManagement}`],
  ]);
  const way: Record<string, string> = isTrusting ? { PEBBLE_VA_ALWAYS_VALID: '1' } : {};
  const issuer = program('pebble', ['-strict', '-config', at('pebble.json'), '-dnsserver', `127.0.0.1:${dns}`], way);
  const client = new Agent({ ca: authority.root });
  const root = () => read(`https://127.0.0.1:${management}/roots/0`, client);
  await eventually(() =>
    root().then(
      () => true,
      () => false,
    ),
  );
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    rootFile: at('root.pem'),
    root,
    hook: `${process.execPath} ${join(import.meta.dirname, 'dns-hook.ts')} http://127.0.0.1:${dnsManagement}`,
    async find(name, address) {
      const [verb, addresses] = address === undefined ? ['clear', []] : ['add', [address]];
      const body = JSON.stringify({ host: `${name}.`, addresses });
      const answer = await fetch(`http://127.0.0.1:${dnsManagement}/${verb}-a`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`${answer.status}`);
    },
    asked: () => [...new Set(Array.from(issuer.said().matchAll(/ Value:"([^"]+)"/g), ([, name]) => name!))].toSorted(),
    issued: () => issuer.said().split('Issued certificate').length - 1,
    end: issuer.end,
    async close() {
      client.destroy();
      await Promise.all([issuer.end(), names.end()]);
      await rm(folder, { recursive: true });
    },
  };
}

/** It ends with this process: its input does. */
function program(name: string, args: readonly string[], more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', ...more };
  const waiting = '"$@" & read -r word; kill $!; wait';
  const child = spawn('/bin/sh', ['-c', waiting, 'sh', name, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  return {
    said: () => text,
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

function read(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, async (answer) => {
      let text = '';
      for await (const part of answer.setEncoding('utf8')) text += part;
      resolve(text);
    }).on('error', reject);
  });
}
