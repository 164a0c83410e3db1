/** Sources from a Git server over HTTPS, some of which is hostile. */
import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { type Fetching, openRepositories, type Repositories } from '../../src/builds/git/fetch-repository.ts';
import { unpackCommit } from '../../src/builds/git/unpack-commit.ts';
import { SourceError } from '../../src/builds/source-entry.ts';
import { readGitAddress, type WrittenAddress } from '../../src/config/values/git-address.ts';
import { randomFrom } from '../random.ts';
import { makeCertificate } from '../support/certificate.ts';
import { listenAndCount } from '../support/counting-server.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';

const limits = { maxBytes: 64 * 2 ** 20, maxEntries: 1_000 };

let server: GitServer;
let repositories: Repositories;
let listed: Map<string, { plainHttp: boolean; ca: string }>;
before(async () => {
  server = await startGitServer();
  listed = new Map([[server.host, { plainHttp: false, ca: server.certificate }]]);
  repositories = openRepositories(limits, { listed });
});
after(async () => {
  await repositories?.close();
  await server?.[Symbol.asyncDispose]();
});

async function scratchOf(t: TestContext): Promise<{ folder: string; pack: string }> {
  const scratch = await mkdtemp(join(tmpdir(), 'berth-fetched-'));
  t.after(() => rm(scratch, { recursive: true }));
  const folder = join(scratch, 'files');
  await mkdir(folder);
  return { folder, pack: join(scratch, 'pack') };
}

async function fetchFrom(
  t: TestContext,
  written: WrittenAddress,
  { from = repositories, ...more }: Partial<Fetching> & { from?: Repositories } = {},
) {
  const address = readGitAddress(written);
  assert.ok(address.ok, JSON.stringify(address));
  const place = await scratchOf(t);
  const signal = AbortSignal.timeout(60_000);
  const requested = { address: address.value, token: undefined, client: 'a', signal, ...place, ...more };
  return { ...place, fetched: await from.fetch(requested) };
}

async function filesOf(t: TestContext, written: WrittenAddress): Promise<Record<string, string>> {
  const { folder, fetched } = await fetchFrom(t, written);
  assert.ok(fetched.ok, JSON.stringify(fetched));
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

async function refusalOf(t: TestContext, written: WrittenAddress, more: Parameters<typeof fetchFrom>[2] = {}) {
  const { fetched } = await fetchFrom(t, written, more);
  assert.ok(!fetched.ok);
  const { code, error, hint = '' } = fetched.problem;
  return `${code}: ${error} ${hint}`;
}

test('a branch, a tag, a commit and a folder of a repository are fetched', async (t) => {
  const { commit, git } = await server.create('refs');
  const first = await commit({ 'a.txt': 'one', 'apps/web/index.html': 'page' });
  await git('tag', 'v1');
  await git('tag', '--annotate', 'v1.1', '--message', 'noted');
  await commit({ 'a.txt': 'two' });
  await git('switch', '--quiet', '--create', 'feature/b_c');
  await commit({ 'b.txt': 'three' });
  await git('switch', '--quiet', 'main');
  await git('config', 'uploadpack.allowReachableSHA1InWant', 'true');
  const at = server.url('refs');
  const one = { 'a.txt': 'one', 'apps/web/index.html': 'page' };
  assert.deepEqual(await filesOf(t, { git: at }), { ...one, 'a.txt': 'two' });
  for (const ref of ['v1', 'v1.1', first, 'refs/tags/v1']) assert.deepEqual(await filesOf(t, { git: at, ref }), one);
  assert.equal((await filesOf(t, { git: at, ref: 'feature/b_c' }))['b.txt'], 'three');
  assert.deepEqual(await filesOf(t, { git: at, path: 'apps/web' }), { 'index.html': 'page' });
  const tagged = await fetchFrom(t, { git: at, ref: 'v1.1' });
  assert.ok(tagged.fetched.ok);
  const { commit: hash, ref, author, subject } = tagged.fetched.value;
  assert.deepEqual([hash, ref, author, subject], [first, 'v1.1', 'A test', 'a commit']);
  assert.match(await refusalOf(t, { git: at, ref: 'mian' }), /no branch or tag mian\. Did you mean main\?/);
  assert.match(await refusalOf(t, { git: at, path: 'apps/api' }), /has no folder apps\/api at this commit/);
  assert.match(await refusalOf(t, { git: at, path: 'a.txt' }), /has no folder a\.txt/);
  assert.match(await refusalOf(t, { git: server.url('missing') }), /missing does not exist, or is private.*Git-Token/);
});

test('the files are the ones of Git, also where they are packed as deltas', async (t) => {
  const { commit, git } = await server.create('deltas');
  const random = randomFrom(7);
  const lines = Array.from({ length: 400 }, () => random().toString(36));
  const files: Record<string, string> = {};
  for (let at = 0; at < 200; at++) {
    lines[Math.floor(random() * lines.length)] = `changed ${at}`;
    files[`some/folder/${at % 7}/file-${at}.txt`] = lines.slice(at).join('\n');
  }
  files.empty = '';
  await commit(files);
  await git('repack', '-adf', '--depth=50', '--window=50');
  assert.deepEqual(await filesOf(t, { git: server.url('deltas') }), files);
});

test('links and programs stay what they are, and submodules are left out with a note', async (t) => {
  const { commit, git } = await server.create('kinds');
  await commit({ 'run.sh': '#!/bin/sh', 'a/b.txt': 'b' }, { 'a/link': '../run.sh' });
  await git('update-index', '--chmod=+x', 'run.sh');
  await git('config', '--file', '.gitmodules', 'submodule.evil.url', 'file:///etc');
  const commitOf = await git('rev-parse', 'HEAD');
  await git('update-index', '--add', '--cacheinfo', `160000,${commitOf},evil`);
  await git('commit', '--quiet', '--message', 'a submodule');
  const { folder, fetched } = await fetchFrom(t, { git: server.url('kinds') });
  assert.ok(fetched.ok, JSON.stringify(fetched));
  assert.equal(await readlink(join(folder, 'a/link')), '../run.sh');
  assert.equal((await lstat(join(folder, 'run.sh'))).mode & 0o7777, 0o755);
  assert.equal((await lstat(join(folder, 'a/b.txt'))).mode & 0o7777, 0o644);
  assert.deepEqual(fetched.value.submodules, ['evil']);
  assert.deepEqual(await readdir(join(folder, 'evil')), []);
});

test('the same files are the same content, in another commit and in a folder of it', async (t) => {
  const { commit } = await server.create('same');
  await commit({ 'web/a.txt': 'one' });
  const first = await fetchFrom(t, { git: server.url('same'), path: 'web' });
  await commit({ 'README.md': 'changed' });
  const second = await fetchFrom(t, { git: server.url('same'), path: 'web' });
  assert.ok(first.fetched.ok && second.fetched.ok);
  assert.notEqual(first.fetched.value.commit, second.fetched.value.commit);
  assert.equal(first.fetched.value.content, second.fetched.value.content);
});

test('a link that leaves the repository, and a name that does, are refused', async (t) => {
  const { commit, git } = await server.create('leaving');
  await commit({ 'a.txt': 'a' }, { passwd: '/etc/passwd' });
  assert.match(await refusalOf(t, { git: server.url('leaving') }), /symbolic link that leaves the source/);
  const blob = await git('hash-object', '-w', 'a.txt');
  const inner = (await runWithInput(git, `100644 blob ${blob}\tevil`)).trim();
  const tree = (await runWithInput(git, `040000 tree ${inner}\t..`)).trim();
  const bad = await git('commit-tree', tree, '-m', 'bad');
  await git('update-ref', 'refs/heads/bad', bad);
  assert.match(await refusalOf(t, { git: server.url('leaving'), ref: 'bad' }), /path outside the source/);
});

/** `git mktree` reads its entries from a file here. */
async function runWithInput(git: (...words: string[]) => Promise<string>, entries: string): Promise<string> {
  return await git('-c', 'alias.tree=!f() { printf "%s\\n" "$1" | git mktree --missing; }; f', 'tree', entries);
}

test('a private repository is fetched with a token, which goes to no other host and into no message', async (t) => {
  const other = await startGitServer();
  const guarded = await startGitServer({ login: 'x-access-token:a-secret' });
  const servers = new Map([other, guarded].map(({ host, certificate: ca }) => [host, { plainHttp: false, ca }]));
  const from = openRepositories(limits, { listed: servers });
  t.after(async () => {
    await from.close();
    await other[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });
  await (await guarded.create('private')).commit({ 'a.txt': 'private' });
  await (await other.create('public')).commit({ 'a.txt': 'public' });
  const git = guarded.url('private');
  const token = 'a-secret';
  assert.ok((await fetchFrom(t, { git }, { from, token })).fetched.ok);
  assert.ok((await fetchFrom(t, { git }, { from, token: 'x-access-token:a-secret' })).fetched.ok);
  assert.match(await refusalOf(t, { git }, { from }), /does not exist, or is private/);
  const wrong = await refusalOf(t, { git }, { from, token: 'another-secret' });
  assert.match(wrong, /that the token can read the repository/);
  assert.doesNotMatch(wrong, /another-secret/);
  guarded.routes.set('/moved/info/refs', (_, response) => {
    response.writeHead(301, { location: `${other.url('public')}/info/refs?service=git-upload-pack` }).end();
  });
  assert.ok((await fetchFrom(t, { git: guarded.url('moved') }, { from, token })).fetched.ok);
  assert.equal(other.authorizations.length, 2);
  assert.ok(other.authorizations.every((each) => each === undefined));
});

test('no connection goes to a private address, by the address, by a redirect, or without HTTPS', async (t) => {
  const inside = await listenAndCount(createServer(await makeCertificate('IP:127.0.0.2')), '127.0.0.2');
  t.after(() => inside.close());
  const strict = openRepositories(limits, {});
  t.after(() => strict.close());
  const at = `https://127.0.0.2:${inside.port}/a`;
  for (const git of [
    at,
    'https://localhost/a',
    'https://169.254.169.254/latest',
    'https://[::1]/a',
    'https://2130706433/a',
  ])
    assert.match(await refusalOf(t, { git }, { from: strict }), /is not on the public internet/, git);
  assert.match(await refusalOf(t, { git: 'http://github.com/a/b' }, { from: strict }), /an address without HTTPS/);
  const redirect = (location: string) =>
    server.routes.set('/away/info/refs', (_, response) => void response.writeHead(302, { location }).end());
  for (const [location, words] of [
    [`${at}/info/refs`, /is not on the public internet/],
    ['http://127.0.0.2/a', /without HTTPS/],
    ['file:///etc/passwd', /without HTTPS/],
    ['/away/info/refs', /redirects in circles/],
  ] as const) {
    redirect(location);
    assert.match(await refusalOf(t, { git: server.url('away') }), words);
  }
  assert.equal(inside.connections(), 0);
});

test('a repository with too many bytes, files or nested folders is refused', async (t) => {
  const { commit, git } = await server.create('large');
  const random = randomFrom(3);
  await commit({ incompressible: Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(random() * 256))) });
  const from = openRepositories({ maxBytes: 200_000, maxEntries: 20 }, { listed });
  t.after(() => from.close());
  assert.match(
    await refusalOf(t, { git: server.url('large') }, { from }),
    /^payload_too_large: The repository has more/,
  );
  await git('rm', '--quiet', 'incompressible');
  await commit({ compressible: Buffer.alloc(2_000_000) });
  assert.match(
    await refusalOf(t, { git: server.url('large') }, { from }),
    /^payload_too_large: The source has more than/,
  );
  await git('rm', '--quiet', 'compressible');
  await commit(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, ''])));
  assert.match(await refusalOf(t, { git: server.url('large') }, { from }), /more than 20 files and folders/);
  await git('rm', '--quiet', '-r', '.');
  await commit({ tiny: '' });
  // Ten folders of ten folders, and so on: a billion files in ten objects.
  let entry = `100644 blob ${await git('hash-object', '-w', 'tiny')}`;
  for (let depth = 0; depth < 9; depth++) {
    const entries = Array.from({ length: 10 }, (_, at) => `${entry}\tn${at}`).join('\n');
    entry = `040000 tree ${(await runWithInput(git, entries)).trim()}`;
  }
  await git('update-ref', 'refs/heads/bomb', await git('commit-tree', entry.split(' ')[2]!, '-m', 'bomb'));
  assert.match(await refusalOf(t, { git: server.url('large'), ref: 'bomb' }), /more than 1000 files and folders/);
});

test('a server without Git, or with an answer that is not a pack, is refused in words', async (t) => {
  const answers: [string, string, RegExp][] = [
    ['<html>hello</html>', '', /does not answer like a Git server/],
    ['', '', /does not answer like a Git server/],
    ['0008ERR ', '', /does not answer like a Git server/],
    ['0000', '', /does not answer like a Git server/],
  ];
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
  const refs = `${line(`${'a'.repeat(40)} HEAD\0side-band-64k shallow\n`)}0000`;
  answers.push(
    [refs, '', /does not answer like a Git server/],
    [refs, line('NAK\n'), /does not answer like a Git server/],
    [refs, `${line('NAK\n')}${line('\x01not a pack but text')}0000`, /damaged/],
    [refs, `${line('NAK\n')}${line('\x03no')}`, /does not answer like a Git server/],
    [refs.replace('shallow', 'nothing'), '', /does not answer like a Git server/],
    [`${line(`${'0'.repeat(40)} capabilities^{}\0side-band-64k shallow\n`)}0000`, '', /has no commits/],
  );
  for (const [listing, answer, words] of answers) {
    server.routes.set('/odd/info/refs', (_, response) => void response.end(listing));
    server.routes.set('/odd/git-upload-pack', (_, response) => void response.end(answer));
    assert.match(await refusalOf(t, { git: server.url('odd') }), words, listing + answer);
  }
});

test('a damaged pack is refused, and never read wrongly', async (t) => {
  const { commit, git } = await server.create('damaged');
  const hash = await commit({ 'a.txt': 'one '.repeat(100), 'b/c.txt': `${'one '.repeat(100)}two` });
  await git('repack', '-adf');
  const folder = join((await git('rev-parse', '--absolute-git-dir')).trim(), 'objects/pack');
  const name = (await readdir(folder)).find((each) => each.endsWith('.pack'))!;
  const whole = await readFile(join(folder, name));
  const unpack = async (bytes: Buffer) => {
    const place = await scratchOf(t);
    await writeFile(place.pack, bytes);
    const unpacked = await unpackCommit({ ...place, hash, path: [], limits: { ...limits, maxFileBytes: 10_000 } });
    return unpacked.content;
  };
  const content = await unpack(whole);
  for (let at = 0; at < whole.length - 20; at++) {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 1 << (at % 8);
    const outcome = await unpack(bytes).catch((error: unknown) => error);
    assert.ok(outcome === content || outcome instanceof SourceError, `byte ${at}: ${outcome}`);
  }
  for (const length of [0, 5, 12, 40, whole.length - 25])
    await assert.rejects(unpack(whole.subarray(0, length)), SourceError);
});
