/** `berth` as it is installed, for people with an account: their keys and their domains, on the engine in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { recordsOf, startNameServer } from '../support/name-server.ts';
import { installPacked, type Packed } from './packed.ts';

const yaml = `application:
  name: shop
  pods:
    - { name: web, image: nginx@sha256:${'a'.repeat(64)}, path: /, servicePorts: [80] }
`;

let packed: Packed;
let berth: Berth;
let folder: string;
let names: Awaited<ReturnType<typeof startNameServer>>;
/** The records in DNS. */
const records: Record<string, readonly string[]> = {};
before(async () => {
  packed = await installPacked();
  names = await startNameServer((type, name) => recordsOf(records)(type, name));
  berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi', BERTH_DOMAIN_RESOLVERS: names.address });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
});
after(async () => {
  await berth?.destroy();
  await names?.[Symbol.asyncDispose]();
  await packed?.remove();
  await rm(folder, { recursive: true, force: true });
});

const server = () => berth.settings.baseUrl.origin;
const send = (path: string, body: object, cookie = '') =>
  fetch(`${server()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server(), cookie },
    body: JSON.stringify(body),
  });

/** @returns the cookie of a new account of theirs. */
async function signUp(name: string): Promise<string> {
  const person = { name, email: `${name.toLowerCase()}@example.com`, password: 'correct horse battery' };
  return (await send('/api/auth/sign-up/email', person)).headers.getSetCookie()[0]!.split(';')[0]!;
}

async function newKey(cookie: string): Promise<string> {
  const { key } = (await (await send('/api/keys', { name: 'tests' }, cookie)).json()) as { key: string };
  return key;
}

test('a key that is pasted is kept for its service alone, says who one is, and is forgotten again', async () => {
  const elsewhere = await mkdtemp(join(folder, 'pasted-'));
  const key = await newKey(await signUp('Ada'));
  const env = { BERTH_SERVER: server(), HOME: elsewhere };
  const ask = (words: string[], input = '', more = {}) =>
    packed.start(words, { cwd: elsewhere, env: { ...env, ...more }, input }).ended;

  assert.equal((await ask(['login'], 'no key\n')).status, 2);
  assert.equal((await ask(['login'], 'berthkey_nobodys\n')).status, 1);
  const file = join(elsewhere, '.config/berth/keys.json');
  await assert.rejects(stat(file));
  const done = await ask(['login'], `${key}\n`);
  assert.match(done.stdout, /as ada@example\.com \(free\)/, done.stderr);
  assert.ok(!`${done.stdout}${done.stderr}`.includes(key));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.match((await ask(['whoami'])).stdout, /ada@example\.com/);

  // Another service, which only calls itself by another name, is not shown it.
  const other = server().replace('localhost', '127.0.0.1');
  assert.match((await ask(['whoami'], '', { BERTH_SERVER: other })).stdout, /no token is stored/);
  assert.match((await ask(['logout'])).stdout, /is forgotten/);
  assert.match((await ask(['whoami'])).stdout, /no token is stored/);
});

test('login shows a code, and has the key once a user has confirmed it in a browser', async () => {
  const elsewhere = await mkdtemp(join(folder, 'shown-'));
  const cookie = await signUp('Grace');
  const file = join(elsewhere, '.config/berth/keys.json');
  const start = () => packed.start(['login'], { cwd: elsewhere, env: { BERTH_SERVER: server(), HOME: elsewhere } });
  const codeOf = async (login: ReturnType<typeof start>) => {
    const find = () => /confirm this code: ([A-Z]{4}-[A-Z]{4})\n/.exec(login.told().stderr)?.[1];
    await until('a code is shown', async () => find() !== undefined);
    return find()!;
  };

  const refused = start();
  await send(`/api/logins/${await codeOf(refused)}`, { decision: 'denied' }, cookie);
  const { status, stderr } = await refused.ended;
  assert.equal(status, 1);
  assert.match(stderr, /was refused in the browser/);

  const interrupted = start();
  await codeOf(interrupted);
  interrupted.interrupt();
  assert.equal((await interrupted.ended).status, 130);
  await assert.rejects(stat(file));

  const login = start();
  const code = await codeOf(login);
  assert.ok(login.told().stderr.includes(`${server()}/login`));
  assert.equal((await send(`/api/logins/${code}`, { decision: 'approved' }, cookie)).status, 200);
  const done = await login.ended;
  assert.match(done.stdout, /as grace@example\.com/, done.stderr);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const keys = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  assert.ok(!`${done.stdout}${done.stderr}`.includes(keys[server()]!));
});

test('a domain is added, looked up until it is live, sent on, listed and removed; a document names one too', async () => {
  const elsewhere = await mkdtemp(join(folder, 'domains-'));
  const key = await newKey(await signUp('Bob'));
  const env = { BERTH_SERVER: server(), HOME: elsewhere, BERTH_TOKEN: key };
  const ask = (...words: string[]) => packed.start(words, { cwd: elsewhere, env }).ended;
  await writeFile(join(elsewhere, 'app.yaml'), yaml);
  const deployed = await ask('deploy', 'app.yaml');
  assert.equal(deployed.status, 0, deployed.stderr);
  const { port } = new URL(server());

  const none = await ask('domains');
  assert.deepEqual([none.status, none.stdout], [0, '']);
  assert.match(none.stderr, /None yet: "berth domains add NAME" adds one/);
  const name = 'shop.example.com';
  const added = await ask('domains', 'add', name);
  assert.match(added.stdout, /^shop\.example\.com is pending: TXT _berth\.shop\.example\.com not found: /);
  const [, value] = /^ {2}_berth\.shop\.example\.com {2}TXT {2}(berth=\S+)$/m.exec(added.stderr) ?? [];
  assert.match(added.stderr, /^ {2}shop\.example\.com {2}CNAME {2}\S+-shop\.localhost$/m);
  records[`TXT _berth.${name}`] = [value!];
  records[`A ${name}`] = ['127.0.0.1'];
  const live = await ask('domains', 'check', name, '--wait');
  assert.deepEqual([live.status, live.stdout.trim()], [0, `http://${name}:${port} is live.`], live.stderr);
  await ask('domains', 'add', `www.${name}`, '--redirect-to', name);
  const listed = await ask('domains');
  assert.match(
    listed.stdout,
    /^DOMAIN +STATE +REDIRECT +REASON\nshop\.example\.com +live +-\nwww\.shop\.example\.com +pending +to shop\.example\.com +TXT /,
  );
  const { domains } = JSON.parse((await ask('domains', '--json')).stdout) as { domains: { state: string }[] };
  assert.deepEqual(
    domains.map(({ state }) => state),
    ['live', 'pending'],
  );

  const removed = await ask('domains', 'remove', name);
  assert.deepEqual([removed.status, removed.stdout], [0, `${name} no longer leads here.\n`]);
  const refused: [words: string[], status: number, said: RegExp][] = [
    [['add', 'x.localhost'], 1, /is not a public domain name/],
    [['check', name], 1, /has no such custom domain.*It has: www\.shop\.example\.com/s],
    [['add'], 2, /Use "berth domains"/],
  ];
  for (const [words, status, said] of refused) {
    const outcome = await ask('domains', ...words);
    assert.deepEqual([outcome.status, outcome.stdout], [status, ''], words.join(' '));
    assert.match(outcome.stderr, said);
  }

  await writeFile(join(elsewhere, 'app.yaml'), yaml.replace('  name:', '  url: blog.example.com\n  name:'));
  const named = await ask('deploy', 'app.yaml');
  assert.equal(named.status, 0);
  assert.match(named.stderr, /^ {2}_berth\.blog\.example\.com {2}TXT {2}berth=/m);
  assert.match((await ask('domains')).stdout, /^blog\.example\.com +pending/m);
  await ask('remove', '--yes', '--forget');
});
