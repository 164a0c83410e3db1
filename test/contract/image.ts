/** Tiny images for tests on a real Docker engine: a static busybox and the contract's program, 2 MB. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { alone } from '../claim.ts';
import { cgi, command, entrypoint, script } from './program.ts';

const run = promisify(execFile);

/** The programs of busybox that the program uses. */
const applets = 'sh base64 cat cut dd echo env head httpd ls printf sleep stat stty tail test touch wget'.split(' ');

/** Images of tests carry this label; nothing else does. */
export const testImageLabel = 'berth.test';

export type ImageVariant = {
  name: string;
  /** Lines of a Dockerfile. */
  changes?: string[];
};

/** The reference of the image; built if it is missing. Its tag is a hash of its contents. */
export async function buildImage(docker: Docker, { name, changes = [] }: ImageVariant): Promise<string> {
  const lines = [
    `ENTRYPOINT ${JSON.stringify(entrypoint)}`,
    `CMD ${JSON.stringify(command)}`,
    'ENV PATH=/bin',
    `LABEL ${testImageLabel}=contract`,
    // Like the images of the set-up: all users may run them.
    'LABEL berth.built=true',
    ...changes,
  ];
  const hash = createHash('sha256')
    .update(JSON.stringify([script, cgi, applets, lines]))
    .digest('hex')
    .slice(0, 12);
  const tag = `berth-test-${name}:${hash}`;
  // Another file's may be at it: a second image would take the tag away from what runs from the first.
  await alone(`image ${tag}`, async () => {
    const found = await docker.getImage(tag).inspect().catch(unlessAbsent);
    if (!found) await importImage(docker, tag, lines);
  });
  return tag;
}

function unlessAbsent({ statusCode, message }: { statusCode?: number; message?: string }): void {
  if (statusCode !== 404) throw new Error(message);
}

async function importImage(docker: Docker, tag: string, lines: string[]): Promise<void> {
  const [repo, version] = tag.split(':');
  const answer = await docker.importImage(await rootFileSystem(), { repo, tag: version, changes: lines });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(answer, (error) => (error ? reject(error) : resolve()));
  });
}

/** The same as an image of a registry: its layer, and how a container of it starts. */
export async function programImage(): Promise<{ layer: Buffer; config: object }> {
  const layer = Buffer.concat(await Array.fromAsync((await rootFileSystem()) as AsyncIterable<Buffer>));
  return { layer, config: { Entrypoint: entrypoint, Cmd: command, Env: ['PATH=/bin'] } };
}

async function rootFileSystem(): Promise<NodeJS.ReadableStream> {
  const archive = pack();
  const executable = (name: string, content: string | Buffer) => archive.entry({ name, mode: 0o755 }, content);
  for (const name of ['bin/', 'etc/', 'www/', 'www/cgi-bin/', 'srv/']) archive.entry({ name, type: 'directory' });
  archive.entry({ name: 'tmp/', type: 'directory', mode: 0o1777 });
  archive.entry({ name: 'etc/passwd' }, 'root:x:0:0::/:/bin/sh\nweb:x:1000:1000::/:/bin/sh\n');
  executable('bin/busybox', await busybox());
  for (const name of applets) archive.entry({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox' });
  executable('bin/contract', script);
  for (const [name, content] of Object.entries(cgi)) executable(`www/cgi-bin/${name}`, content);
  archive.finalize();
  return Readable.from(archive);
}

let busyboxBinary: Promise<Buffer> | undefined;

/** Debian's `busybox-static`, 2 s. */
function busybox(): Promise<Buffer> {
  busyboxBinary ??= downloadBusybox();
  return busyboxBinary;
}

async function downloadBusybox(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-busybox-'));
  try {
    await run('apt-get', ['download', 'busybox-static'], { cwd: folder });
    const [archive] = await readdir(folder);
    await run('dpkg-deb', ['--extract', archive!, 'root'], { cwd: folder });
    return await readFile(join(folder, 'root/bin/busybox'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
