/** A root file system in the making: files of unpacked packages and of this machine, put where a container expects them. */
import { chmod, copyFile, cp, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { run } from '../commands.ts';

export type Root = {
  /** Becomes the container's `/`. */
  folder: string;
  /** Where the packages are unpacked. */
  packages: string;
};

/** A file of this repository that an image contains. */
export type Asset = {
  /** Absolute path in the repository. */
  file: string;
  /** Absolute path in the image. */
  path: string;
  /** Default: 0644. */
  mode?: number;
};

const users = [
  'root:x:0:0:root:/root:/bin/bash',
  'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin',
  'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin',
  'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
];
const groups = ['root:x:0:', 'daemon:x:1:', 'tty:x:5:', 'www-data:x:33:', 'nogroup:x:65534:'];
const folders = ['dev', 'etc/ssl/certs', 'home', 'opt', 'proc', 'root', 'run', 'srv', 'sys', 'usr/bin', 'usr/lib'];
const moreFolders = ['usr/lib64', 'usr/local/bin', 'usr/sbin', 'var/cache', 'var/lib', 'var/log'];

/** The common content of all images: Debian's layout, a shell, users, the default time zone and certificates. */
export async function layOut(root: Root): Promise<void> {
  for (const folder of [...folders, ...moreFolders]) await mkdir(join(root.folder, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await link(root, `/${name}`, `usr/${name}`);
  await link(root, '/var/run', '/run');
  for (const path of ['/tmp', '/var/tmp']) await makeFolder(root, path, 0o1777);
  await chmod(join(root.folder, 'root'), 0o700);
  await write(root, '/etc/passwd', lines(users));
  await write(root, '/etc/group', lines(groups));
  await write(root, '/etc/nsswitch.conf', lines(['passwd: files', 'group: files', 'hosts: files dns']));
  await link(root, '/etc/localtime', '/usr/share/zoneinfo/Etc/UTC');
  // Node's certificates: the same Mozilla list as Debian's, without this machine's own authorities.
  await write(root, '/etc/ssl/certs/ca-certificates.crt', lines(rootCertificates));
  await take(root, '/etc/os-release', '/usr/lib/os-release');
  await addShells(root);
}

/** Copies a file or folder to the same path, from the packages or, if they lack it, from this machine. */
export async function take(root: Root, path: string, from = path): Promise<void> {
  const target = join(root.folder, path);
  await mkdir(dirname(target), { recursive: true });
  await cp(await sourceOf(root, from), target, { recursive: true, verbatimSymlinks: true, force: true });
}

/** Copies programs or modules with all shared libraries that the loader needs. */
export async function takePrograms(root: Root, paths: readonly string[]): Promise<void> {
  for (const path of paths) await take(root, path);
  await takeLibraries(root, await Promise.all(paths.map((path) => sourceOf(root, path))));
}

/** Copies the shared libraries of the given files (absolute paths on this machine). */
export async function takeLibraries(root: Root, files: readonly string[]): Promise<void> {
  const searched = await libraryFolders(root);
  const listing = await run(['ldd', ...files], { env: { LD_LIBRARY_PATH: searched.join(':'), LC_ALL: 'C' } });
  for (const library of librariesIn(listing)) {
    const path = library.startsWith(root.packages) ? library.slice(root.packages.length) : library;
    const target = join(root.folder, path);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(library, target);
  }
}

/** Reads the output of `ldd`. Throws when the loader would not find a library. */
export function librariesIn(listing: string): string[] {
  const lost = listing.match(/^\s+(\S+) => not found$/m);
  if (lost) throw new Error(`The library ${lost[1]} is neither in the packages nor on this machine.`);
  const found = [...listing.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path as string);
  return [...new Set(found)];
}

export async function write(root: Root, path: string, content: string, mode = 0o644): Promise<void> {
  const target = join(root.folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  // Set explicitly, because the umask of the current user restricts the mode of writeFile.
  await chmod(target, mode);
}

export async function makeFolder(root: Root, path: string, mode = 0o755): Promise<void> {
  const target = join(root.folder, path);
  await mkdir(target, { recursive: true });
  await chmod(target, mode);
}

export async function link(root: Root, path: string, to: string): Promise<void> {
  await symlink(to, join(root.folder, path));
}

/** Copies a file of this repository, such as an entry point, into the image. */
export async function copyAsset(root: Root, { file, path, mode = 0o644 }: Asset): Promise<void> {
  const target = join(root.folder, path);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(file, target);
  await chmod(target, mode);
}

export async function addUser(root: Root, name: string, id: number, home: string): Promise<void> {
  await writeFile(join(root.folder, 'etc/passwd'), `${name}:x:${id}:${id}::${home}:/bin/sh\n`, { flag: 'a' });
  await writeFile(join(root.folder, 'etc/group'), `${name}:x:${id}:\n`, { flag: 'a' });
  await makeFolder(root, home);
}

async function addShells(root: Root): Promise<void> {
  await take(root, '/bin/busybox');
  const applets = await run([join(root.folder, 'bin/busybox'), '--list-full']);
  for (const applet of applets.split('\n').filter(Boolean)) {
    await link(root, `/${applet}`, '/bin/busybox').catch(unlessThere);
  }
  // Many scripts of users begin with #!/bin/bash.
  await takePrograms(root, ['/usr/bin/bash']);
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Packages older than the merge of /usr keep some files in /lib that the loader reports there or in /usr/lib. */
async function sourceOf(root: Root, path: string): Promise<string> {
  const twin = path.startsWith('/usr/') ? path.slice('/usr'.length) : `/usr${path}`;
  for (const candidate of [join(root.packages, path), join(root.packages, twin), path]) {
    if (await exists(candidate)) return candidate;
  }
  throw new Error(`${path} is neither in the packages nor on this machine.`);
}

async function libraryFolders(root: Root): Promise<string[]> {
  // Folders such as `/lib/x86_64-linux-gnu`, with the machine's C library.
  const triplets = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' } as Record<string, string>;
  const triplet = triplets[process.arch] ?? '';
  return ['usr/lib', 'lib'].map((folder) => join(root.packages, folder, triplet));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function lines(content: readonly string[]): string {
  return `${content.join('\n')}\n`;
}
