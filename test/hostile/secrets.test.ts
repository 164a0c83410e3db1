/**
 * Secrets of all kinds, planted in every input of Berth, and then searched in every place that a bystander can read: in
 * the database and every other file, the logs, the process list, the answers of the API and of the operator's commands.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startMailServer } from '../accounts/mail-server.ts';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';
import { given, marker, secret, settings, yamlOf } from './planted.ts';
import { filesIn, findTraces, formsOf, type Place, processes, watchProcessList } from './traces.ts';

const email = 'ada@example.com';
const password = secret('password');
/** Created by the service and known only to the recipients; filled in on the way. */
const made: Record<string, string> = {};

let mails: Awaited<ReturnType<typeof startMailServer>>;
let berth: Berth;
before(async () => {
  mails = await startMailServer({ user: 'berth', password: settings['the key of the mail server'] });
  berth = await createBerth({
    BERTH_TIMEOUTS: 'listen=1s drain=200ms',
    BERTH_LOG_LEVEL: 'debug',
    BERTH_SMTP_URL: mails.url.href,
    BERTH_MAIL_FROM: 'Berth <berth@example.com>',
    BERTH_GITHUB_CLIENT_ID: 'berth',
    BERTH_GITHUB_CLIENT_SECRET: settings['the secret of GitHub'],
    BERTH_OIDC_ISSUER: 'http://127.0.0.1:1',
    BERTH_OIDC_CLIENT_ID: 'berth',
    BERTH_OIDC_CLIENT_SECRET: settings['the secret of the OpenID provider'],
    BERTH_METRICS_TOKEN: settings['the token of the metrics'],
  });
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  await mails.close();
});

type Ask = { headers?: Record<string, string>; body?: object; yaml?: string };

/** A request to the API as a browser of its dashboard makes it. */
async function ask(method: string, path: string, { headers = {}, body, yaml }: Ask = {}) {
  const address = `http://localhost:${berth.settings.port}`;
  const text = yaml ?? (body && JSON.stringify(body));
  const type = yaml === undefined ? 'application/json' : 'text/x-yaml';
  return await berth.visit(`${address}${path}`, {
    method,
    headers: { origin: address, ...(text !== undefined && { 'content-type': type }), ...headers },
    ...(text !== undefined && { body: text }),
  });
}

/** A user signs up, opens the link in the mail, resets the password by the link in another mail, and signs in. */
async function signIn(): Promise<Record<string, string>> {
  const first = secret('first password');
  made['the first password'] = first;
  const signedUp = await ask('POST', '/api/auth/sign-up/email', { body: { name: 'Ada', email, password: first } });
  assert.equal(signedUp.status, 200, signedUp.text);
  const verify = await mails.linkTo(email);
  made['the link that verifies an address'] = verify.searchParams.get('token')!;
  await ask('GET', `${verify.pathname}${verify.search}`);
  await ask('POST', '/api/auth/request-password-reset', { body: { email, redirectTo: '/reset' } });
  const reset = await mails.linkTo(email);
  made['the link that resets a password'] = reset.pathname.split('/').at(-1)!;
  const token = made['the link that resets a password'];
  // Looked for while it can still be used, too.
  await assertNoTraces('before a password is reset', []);
  const changed = await ask('POST', '/api/auth/reset-password', { body: { token, newPassword: password } });
  assert.equal(changed.status, 200, changed.text);
  const signedIn = await ask('POST', '/api/auth/sign-in/email', { body: { email, password } });
  assert.equal(signedIn.status, 200, signedIn.text);
  const [line] = signedIn.headers['set-cookie']!;
  const cookie = line!.split(';')[0]!;
  made['a cookie'] = decodeURIComponent(cookie.split('=')[1]!);
  made['the token in a cookie'] = made['a cookie'].split('.')[0]!;
  return { cookie };
}

function everythingPlanted(): Record<string, string> {
  return { ...settings, ...given, ...made, 'the password of an account': password };
}

/**
 * Places that bystanders can read. Left out, because the secrets belong there:
 * - `secret.key`: a reader of it can read everything, which is why only its owner may read it;
 * - the environment of the service, which the operator has set, and of pods, which their owner has set.
 */
async function placesNow(): Promise<Place[]> {
  const files = (await filesIn(berth.settings.dataDir)).filter(({ place }) => place !== 'secret.key');
  const all = await processes();
  // Below the group of all deployments, or while it is being started the engine's.
  const isPod = (cgroup: string) => /docker|containerd|\/berth-[^/]+\/[^/]+\/|\/berth\.slice\//.test(cgroup);
  return [
    ...files,
    { place: 'the logs of the service', bytes: Buffer.from(berth.log()) },
    ...all.map(({ pid, words }) => ({ place: `the words of process ${pid}`, bytes: words })),
    ...all
      .filter(({ environment, cgroup }) => !isService(environment) && !isPod(cgroup))
      .map(({ pid, environment }) => ({ place: `the environment of process ${pid}`, bytes: environment })),
  ];
}

function isService(environment: Buffer): boolean {
  return environment.includes(`BERTH_DATA_DIR=${berth.settings.dataDir}\0`);
}

async function assertNoTraces(when: string, further: Place[]): Promise<void> {
  const places = [...(await placesNow()), ...further];
  assert.deepEqual(findTraces(everythingPlanted(), places), [], when);
  // In the service's environment is nothing but what the operator has put there.
  const services = (await processes()).filter(({ environment }) => isService(environment));
  assert.ok(services.length > 0);
  const kept = services.map(({ environment }) => ({ place: 'the environment of the service', bytes: environment }));
  assert.deepEqual(findTraces({ ...given, ...made, password }, kept), [], when);
  assert.equal(
    findTraces(settings, kept).length >= Object.keys(settings).length,
    true,
    'the search finds what is there',
  );
}

/** The same search finds public texts in each of these places, so it reads the real contents. */
function assertSeen(text: string, places: Place[], where: RegExp[]): void {
  const seen = places.filter(({ bytes }) => bytes.includes(text)).map(({ place }) => place);
  for (const pattern of where)
    assert.ok(
      seen.some((place) => pattern.test(place)),
      `${text} in ${pattern}: ${seen}`,
    );
}

const admin = async (...words: string[]) =>
  await promisify(execFile)(process.execPath, ['src/cli/bin.mjs', 'admin', ...words], {
    env: { PATH: process.env.PATH, BERTH_DATA_DIR: berth.settings.dataDir },
  });

test('a text is found in every form that it is looked for in, and wherever in it begins', () => {
  const text = secret('control');
  const escaped = JSON.stringify({ text });
  const writings = {
    'as it is': `x${text}y`,
    'in an address': `/?a=${encodeURIComponent(text)}`,
    'in a form': new URLSearchParams({ a: text }).toString(),
    'in JSON': escaped,
    'as digits': Buffer.from(`x${text}y`).toString('hex'),
    ...Object.fromEntries(
      ['', 'x', 'xy', 'xyz'].flatMap((before) =>
        ['', 'x', 'xy'].flatMap((behind) =>
          (['base64', 'base64url'] as const).map((encoding) => [
            `${encoding} of ${before}…${behind}`,
            Buffer.from(`${before}${text}${behind}`).toString(encoding),
          ]),
        ),
      ),
    ),
  };
  for (const [place, writing] of Object.entries(writings)) {
    assert.ok(findTraces({ text }, [{ place, bytes: Buffer.from(writing) }]).length > 0, place);
    assert.deepEqual(findTraces({ text: secret('another') }, [{ place, bytes: Buffer.from(writing) }]), [], place);
  }
  assert.ok(formsOf(text).every(({ bytes }) => bytes.length >= text.length));
});

test('no secret and no token is in clear in any file, log, list of processes, event or answer but its own', async (context) => {
  const watch = watchProcessList();
  context.after(watch.end);
  const answers = new Map<string, string>();
  const note = async (what: string, answer: ReturnType<typeof ask>) => {
    const { status, text } = await answer;
    answers.set(what, `${status} ${text}`);
  };

  // An anonymous user starts it.
  const started = await ask('POST', '/startUserDeployment', {
    yaml: yamlOf(3000),
    headers: { 'idempotency-key': 'a key of 16 letters' },
  });
  assert.equal(started.status, 200, started.text);
  const app: Started = started.body;
  made['the session token'] = app.sessionToken;
  const owner = { authorization: `Bearer ${app.sessionToken}` };
  const query = `applicationName=${marker}`;
  await berth.reach(app, 'running');
  made['a generated password'] = (await berth.visit(app.url)).text;
  assert.match(made['a generated password'], /^\w{32}$/);
  const logs = async () => await ask('GET', `/getDeploymentLogs?${query}`, { headers: owner });
  await until('the pod has written', async () => (await logs()).text.split('\n').length > 8);
  await note('its logs', logs());
  await note('the preview', ask('POST', '/previewUserDeployment', { yaml: yamlOf(4000), headers: owner }));
  await note('the list', ask('GET', `/getReservations?sessionToken=${app.sessionToken}`));
  await note('the status', ask('GET', `/getDeploymentStatus?${query}&sessionToken=${app.sessionToken}`));
  await note('the extension', ask('POST', '/extendDeployment', { body: { ...app } }));
  await assertNoTraces('while it runs', []);
  const { dataDir } = berth.settings;
  const now = await placesNow();
  assertSeen(marker, now, [/^berth\.db(-wal)?$/]);
  assertSeen('frontend', now, [/^edge\//]);
  assertSeen(dataDir, now, [/^the logs of the service$/, /^the words of process \d+$/]);
  assertSeen(`PATH=${process.env.PATH}`, now, [/^the environment of process \d+$/]);

  // An update that fails and writes its secrets, an account, and a claim.
  await note(
    'the update',
    ask('POST', `/updateUserDeployment?sessionToken=${app.sessionToken}`, { yaml: yamlOf(4000) }),
  );
  const who = await signIn();
  const failed = await berth.reach(app, 'failed');
  assert.ok(failed.lastLines.some((line: string) => line.includes('[redacted]')));
  answers.set('the status of a failure', JSON.stringify(failed));
  const key = await ask('POST', '/api/keys', { headers: who, body: { name: marker } });
  made['an API key'] = key.body.key;
  const claim = await ask('POST', '/claimDeployment', { body: { ...app } });
  made['a claim token'] = claim.body.claimToken;
  const script = { authorization: `Bearer ${made['an API key']}` };
  const claimPath = new URL(claim.body.claimUrl).pathname;
  await note('the claim link', ask('GET', `/api/claims/${made['a claim token']}`, { headers: who }));
  await note('the claim', ask('POST', claimPath, { headers: who }));
  assert.match(answers.get('the claim')!, /^200 .*is yours/);
  await note('the account', ask('GET', '/api/account', { headers: who }));
  await note('the API keys', ask('GET', '/api/keys', { headers: who }));
  await note('the list by a key', ask('GET', '/getReservations', { headers: script }));
  answers.set('the events', JSON.stringify(await berth.events(app)));
  await note('the logs of both revisions', logs());
  await note('the sign-in elsewhere', ask('POST', '/api/auth/sign-in/social', { body: { provider: 'github' } }));

  // Mistakes, each with a secret that must not appear in the message about it.
  const word = JSON.stringify(given['the token in a variable']);
  await note(
    'a broken document',
    ask('POST', '/validate', { yaml: `${yamlOf(1)}\n  broken: "${given['the registry login']}` }),
  );
  await note(
    'a document with mistakes',
    ask('POST', '/validate', { yaml: yamlOf(0).replace('image: node:26-slim', `imgae: ${word}`) }),
  );
  await note(
    'a start that is refused',
    ask('POST', '/startUserDeployment', { yaml: yamlOf(1).replace('path: /\n', '\n') }),
  );
  await note(
    'an update of nothing',
    ask('POST', `/updateUserDeployment?sessionToken=${made['a claim token']}`, { yaml: yamlOf(1) }),
  );
  const guess = { email: 'eve@example.com', password };
  await note('a wrong sign-in', ask('POST', '/api/auth/sign-in/email', { body: guess }));
  await note(
    'a broken sign-in',
    ask('POST', '/api/auth/sign-in/email', { body: { email: password, password: [password] } }),
  );
  await note('a token in a path', ask('GET', `/getReservations/${app.sessionToken}`));
  await note('an unknown token', ask('GET', `/getReservations?sessionToken=${made['an API key']}x`));
  await note('no metrics', ask('GET', '/metrics', { headers: owner }));
  const metrics = { authorization: `Bearer ${settings['the token of the metrics']}` };
  await note('the metrics', ask('GET', '/metrics', { headers: metrics }));
  assert.match(answers.get('the metrics')!, /^200 .*berth_/s);

  // The operator's commands.
  const label = new URL(app.url).hostname.split('.')[0]!;
  for (const words of [
    ['inspect', label],
    ['deployments', '--json'],
    ['accounts'],
    ['stop', label, marker, '--yes'],
    ['audit'],
  ]) {
    const { stdout, stderr } = await admin(...words);
    answers.set(`berth admin ${words[0]}`, stdout + stderr);
  }
  await until('it is gone', async () => (await berth.row(app)).goneAt !== null);

  const list = await watch.end();
  const reported = [...answers].map(([what, text]) => ({ place: `the answer: ${what}`, bytes: Buffer.from(text) }));
  await assertNoTraces('when it is gone', [...reported, list]);

  assertSeen(dataDir, [list], [/^the process list$/]);
  for (const what of [
    'its logs',
    'the list',
    'the update',
    'the claim',
    'the events',
    'berth admin inspect',
    'berth admin audit',
  ]) {
    assertSeen(marker, reported, [new RegExp(`^the answer: ${what}$`)]);
  }

  // The contents of the write-ahead log are in the database itself now.
  await berth.end('SIGTERM');
  const files = await filesIn(dataDir);
  const sealed = files.filter(({ place }) => place !== 'secret.key');
  assert.deepEqual(findTraces(everythingPlanted(), sealed), [], 'when the service has stopped');
  assertSeen(marker, files, [/^berth\.db$/]);
  assertSeen('berth_', files, [/^secret\.key$/]);
});
