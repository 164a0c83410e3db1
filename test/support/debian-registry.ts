/**
 * Debian's `docker-registry`, the reference implementation of the protocol. Its package is unpacked without an
 * installation, which would start a public service on the machine.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { digestOf } from '../../src/lib/digest.ts';
import { freePort } from '../free-port.ts';
import { type TokenServer, tokenIssuer, tokenService } from './token-server.ts';

const run = promisify(execFile);

/** The output of `htpasswd -B` for these. */
export const debianLogin = { username: 'me', personalAccessToken: 'secret' };
const htpasswd = 'me:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';
const basic = `Basic ${Buffer.from(`${debianLogin.username}:${debianLogin.personalAccessToken}`).toString('base64')}`;

export type DebianRegistry = AsyncDisposable & {
  /** `host:port`, over plain HTTP. */
  host: string;
  /** Answers the digest. */
  pushBlob(repository: string, bytes: Buffer): Promise<{ digest: string; size: number }>;
  /** Under a tag; answers the digest. */
  pushManifest(repository: string, tag: string, manifest: { mediaType: string }): Promise<string>;
};

/** The allowed clients: all, those with the login, or those with a token of the given server. */
export type DebianAccess = { kind: 'everybody' } | { kind: 'login' } | { kind: 'token'; server: TokenServer };

/** Dispose of it when done. */
export async function startDebianRegistry(access: DebianAccess): Promise<DebianRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-registry-'));
  const program = await unpackRegistry(folder);
  const host = `127.0.0.1:${await freePort()}`;
  const auth = await authOf(access, folder);
  const configuration = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: host },
    ...(auth && { auth }),
  };
  // Every JSON document is a YAML document.
  await writeFile(join(folder, 'config.yml'), JSON.stringify(configuration));
  // It ends with this process, however that ends.
  const argv = ['--pdeathsig', 'KILL', program, 'serve', join(folder, 'config.yml')];
  const server = spawn('setpriv', argv, { stdio: 'ignore' });
  await answers(server, `http://${host}/v2/`);

  async function ask(path: string, method: string, body?: Buffer | string, type = 'application/octet-stream') {
    const [, repository] = /^\/v2\/(.+?)\/(?:blobs|manifests)\//.exec(path) ?? [];
    const authorization =
      access.kind === 'token' ? `Bearer ${access.server.grant(`repository:${repository}:pull,push`)}` : basic;
    const answer = await fetch(new URL(path, `http://${host}`), {
      method,
      headers: { authorization, 'content-type': type },
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  return {
    host,
    async pushBlob(repository, bytes) {
      const { headers } = await ask(`/v2/${repository}/blobs/uploads/`, 'POST');
      const at = new URL(headers.get('location')!);
      const digest = digestOf(bytes);
      at.searchParams.set('digest', digest);
      await ask(`${at.pathname}${at.search}`, 'PUT', bytes);
      return { digest, size: bytes.length };
    },
    async pushManifest(repository, tag, manifest) {
      const text = JSON.stringify(manifest);
      const { headers } = await ask(`/v2/${repository}/manifests/${tag}`, 'PUT', text, manifest.mediaType);
      return headers.get('docker-content-digest')!;
    },
    async [Symbol.asyncDispose]() {
      if (server.exitCode === null && server.kill()) await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

/** Undefined if it requires no login. */
async function authOf(access: DebianAccess, folder: string): Promise<object | undefined> {
  if (access.kind === 'everybody') return undefined;
  const path = join(folder, access.kind);
  if (access.kind === 'login') {
    await writeFile(path, htpasswd);
    return { htpasswd: { realm: 'test', path } };
  }
  const { realm, certificate } = access.server;
  await writeFile(path, certificate);
  return { token: { realm, service: tokenService, issuer: tokenIssuer, rootcertbundle: path } };
}

async function unpackRegistry(folder: string): Promise<string> {
  await run('apt-get', ['download', 'docker-registry'], { cwd: folder });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'))!;
  await run('dpkg-deb', ['--extract', archive, 'root'], { cwd: folder });
  return join(folder, 'root/usr/bin/docker-registry');
}

async function answers(server: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error('docker-registry has ended');
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
