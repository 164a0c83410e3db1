import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Authority, makeAuthority, type Pair } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/edge.ts';
import { type FileCertificate, followCertificateFiles, readCertificateFiles } from './certificate-files.ts';

const names = ['DNS:berth.test', 'DNS:*.apps.test'];
const hosts = ['berth.test', '*.apps.test'];
const everyMs = 5;

async function prepare(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-certificates-'));
  const authority = await makeAuthority();
  const pair = await authority.issue(names);
  const files = [{ certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }];
  await write(files[0]!, pair);
  const source = { files, hosts, now: Date.now };
  context.after(() => rm(folder, { recursive: true }));
  return { folder, authority, pair, source, file: files[0]! };
}

async function write({ certificate, key }: { certificate: string; key: string }, pair: Pair): Promise<void> {
  await writeFile(certificate, pair.cert);
  await writeFile(key, pair.key);
}

/** Follows the files of a test, and collects the certificates and log lines. */
async function follow(context: TestContext, source: Awaited<ReturnType<typeof prepare>>['source']) {
  const first = await readCertificateFiles(source);
  assert.ok(first.ok);
  const put: FileCertificate[][] = [];
  const said: string[] = [];
  let refusal: Error | undefined;
  const log = {
    info: (_: object, text: string) => said.push(text),
    warn: (details: { because?: string }, text: string) => said.push(`${text}: ${details.because}`),
  };
  const take = async (certificates: FileCertificate[]) => {
    if (refusal) throw refusal;
    put.push(certificates);
  };
  const following = followCertificateFiles({ ...source, served: first.certificates, everyMs }, take, log);
  context.after(() => following[Symbol.asyncDispose]());
  return {
    first: first.certificates,
    put,
    said,
    refuse: (error?: Error) => {
      refusal = error;
    },
  };
}

async function issueAgain(authority: Authority): Promise<Pair> {
  return await authority.issue(names);
}

test('files that are replaced are handed on once, also behind a link', async (context) => {
  const { folder, authority, source, file } = await prepare(context);
  const { put, said, first } = await follow(context, source);
  const second = await issueAgain(authority);
  await write(file, second);
  await eventually(async () => put.length === 1);
  assert.notEqual(put[0]![0]!.pem, first[0]!.pem);
  const third = { certificate: join(folder, 'third.pem'), key: join(folder, 'third.key') };
  await write(third, await issueAgain(authority));
  for (const kind of ['certificate', 'key'] as const) {
    await symlink(third[kind], `${file[kind]}.new`);
    await rename(`${file[kind]}.new`, file[kind]);
  }
  await eventually(async () => put.length === 2);
  await delay(10 * everyMs);
  assert.equal(put.length, 2);
  assert.deepEqual(said, Array(2).fill('new certificates are served'));
});

test('an unusable pair is reported once, with its file and no key, and the next good one is taken', async (context) => {
  const { authority, pair, source, file } = await prepare(context);
  const { put, said } = await follow(context, source);
  const next = await issueAgain(authority);
  await writeFile(file.certificate, next.cert);
  await eventually(async () => said.length === 1);
  await delay(10 * everyMs);
  assert.deepEqual(said.splice(0), [
    `the certificate files cannot be used; those from before are still served: ${file.certificate}: the private key belongs to another certificate`,
  ]);
  await rm(file.key);
  await eventually(async () => said.length === 1);
  assert.match(said.splice(0)[0]!, /ENOENT.*key\.pem/);
  await write(file, await authority.issue(['DNS:berth.test']));
  await eventually(async () => said.some((line) => line.endsWith('no certificate is for *.apps.test')));
  said.splice(0);
  assert.deepEqual(put, []);
  await writeFile(file.key, next.key);
  await writeFile(file.certificate, next.cert);
  await eventually(async () => put.length === 1);
  for (const line of [...next.key.split('\n'), ...pair.key.split('\n')].filter((line) => line.length > 20))
    assert.ok(!said.join().includes(line));
});

test('a certificate that the edge refuses is reported once, and retried until it is accepted', async (context) => {
  const { authority, source, file } = await prepare(context);
  const { put, said, refuse } = await follow(context, source);
  refuse(new Error('HAProxy does not respond'));
  await write(file, await issueAgain(authority));
  await eventually(async () => said.length === 1);
  await delay(10 * everyMs);
  refuse();
  await eventually(async () => put.length === 1);
  assert.equal(said.filter((line) => line.endsWith('HAProxy does not respond')).length, 1);
});

test('that a certificate ends soon is said once a day, until the files are renewed', async (context) => {
  const { authority, source, file } = await prepare(context);
  const day = 24 * 3_600_000;
  let now = Date.now();
  const endsAt = Math.floor(now / 1000) * 1000 + 60 * day;
  await write(file, await authority.issue(names, { notAfter: new Date(endsAt) }));
  const { put, said } = await follow(context, { ...source, now: () => now });
  const reminders = () => said.filter((line) => line.startsWith('a certificate ends soon')).length;
  await delay(10 * everyMs);
  assert.equal(reminders(), 0);
  now = endsAt - 9 * day;
  await eventually(async () => reminders() === 1);
  await delay(10 * everyMs);
  assert.equal(reminders(), 1);
  now += day;
  await eventually(async () => reminders() === 2);
  await write(file, await authority.issue(names, { notAfter: new Date(endsAt + 30 * day) }));
  await eventually(async () => put.length === 1);
  now += day;
  await delay(10 * everyMs);
  assert.equal(reminders(), 2);
  assert.equal(put[0]![0]!.expiresAt, endsAt + 30 * day);
});

test('at the start all missing files are reported', async (context) => {
  const { source, file } = await prepare(context);
  const read = async (change: Partial<typeof source>) => {
    const found = await readCertificateFiles({ ...source, ...change });
    return found.ok ? 'good' : found.because;
  };
  assert.equal(await read({}), 'good');
  assert.equal(
    await read({ hosts: ['berth.test', 'b.test', '*.c.test'] }),
    'no certificate is for b.test and *.c.test',
  );
  assert.match(await read({ files: [{ ...file, key: '/nowhere' }] }), /cert\.pem: ENOENT.*'\/nowhere'/);
  assert.match(await read({ now: () => Date.now() + 10 * 24 * 3_600_000 }), /cert\.pem: it has expired on /);
});
