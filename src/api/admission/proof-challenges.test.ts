import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { decodeProof, encodeProof, proofHeader, sendWithProof, solveProof } from '../../lib/proof-of-work.ts';
import { type Keys, sealBy } from '../../lib/seal.ts';
import { clientHeader } from '../requests/client-address.ts';
import { costOf } from './proof-challenges.ts';

const always = { proofOfWork: { mode: 'always', cost: 1 } } as const;
const from = (address: string) => ({ [clientHeader]: address });
const start = (api: TestApi, headers: Record<string, string> = {}, yaml = shopYaml) =>
  api.postYaml('/startUserDeployment', yaml, { ...from('192.0.2.1'), ...headers });

test('a start without a proof is answered with a challenge, and with its solution it starts', async () => {
  const api = await testApi(always);
  const requested = await start(api);
  assert.deepEqual([requested.status, requested.body.code], [429, 'proof_of_work_required']);
  assert.equal(requested.headers['retry-after'], '60');
  assert.equal(api.woken.length, 0);
  const proof = await solveProof(requested.body.challenge);
  assert.equal((await start(api, { [proofHeader]: proof })).status, 200);
});

test('our clients solve it by themselves', async () => {
  const api = await testApi(always);
  const response = await sendWithProof(async (headers) => {
    const { status, body } = await start(api, headers);
    return Response.json(body, { status });
  });
  assert.equal(response.status, 200);
});

test('a proof is good for one start, of one client, for five minutes', async () => {
  const api = await testApi(always);
  const proofFor = async () => solveProof((await start(api)).body.challenge);
  const refusal = async (headers: Record<string, string>) => (await start(api, headers)).body.error;

  const spent = await proofFor();
  assert.equal((await start(api, { [proofHeader]: spent })).status, 200);
  assert.match(await refusal({ [proofHeader]: spent }), /was used before/);
  const mine = await proofFor();
  assert.match(await refusal({ [proofHeader]: mine, ...from('192.0.2.2') }), /not valid/);
  api.clock.now += 5 * 60_000;
  assert.match(await refusal({ [proofHeader]: mine }), /has expired/);
});

test('a challenge signed with the previous key is refused, and one signed with the new key is accepted', async () => {
  let keys: Keys = ['before'];
  const api = await testApi(
    always,
    undefined,
    undefined,
    sealBy(() => keys),
  );
  const challenge = async () => (await start(api)).body.challenge;
  const proof = await solveProof(await challenge());
  keys = ['new', 'before'];
  assert.match((await start(api, { [proofHeader]: proof })).body.error, /not valid/);
  assert.equal((await start(api, { [proofHeader]: await solveProof(await challenge()) })).status, 200);
});

test('a start that is refused for another reason spends nothing', async () => {
  const api = await testApi(always);
  const proof = await solveProof((await start(api)).body.challenge);
  assert.equal((await start(api, { [proofHeader]: proof }, 'application: {}')).body.code, 'invalid_configuration');
  assert.equal((await start(api, { [proofHeader]: proof })).status, 200);
});

test('a start that was answered before is answered again without a proof', async () => {
  const api = await testApi(always);
  const { body: session } = await api.send('POST', '/createSession', '', {});
  const authorization = `Bearer ${session.sessionToken}`;
  const key = { 'idempotency-key': 'a-key-of-some-length', authorization };
  const proof = await solveProof((await start(api)).body.challenge);
  const first = await start(api, { [proofHeader]: proof, ...key });
  const again = await start(api, key);
  assert.deepEqual([again.status, again.body.url], [200, first.body.url]);
});

test('an altered challenge, a made-up solution and garbage are refused, and no fault of the service', async () => {
  const api = await testApi(always);
  const proof = decodeProof(await solveProof((await start(api)).body.challenge))!;
  const { challenge, solution } = proof;
  const { parameters } = challenge;
  const forged = [
    { ...proof, solution: { ...solution, counter: solution.counter + 1 } },
    { ...proof, solution: { ...solution, derivedKey: `00${'a'.repeat(62)}` } },
    { ...proof, solution: { counter: -1, derivedKey: '' } },
    { ...proof, solution: { counter: '1', derivedKey: 5 } },
    { ...proof, challenge: { ...challenge, parameters: { ...parameters, cost: 1e9 } } },
    { ...proof, challenge: { ...challenge, parameters: { ...parameters, keyPrefix: '' } } },
    { ...proof, challenge: { ...challenge, parameters: { ...parameters, data: { ...parameters.data, until: 9e15 } } } },
    { ...proof, challenge: { parameters } },
    { ...proof, challenge: { ...challenge, signature: 5 } },
    { challenge: { parameters: {} }, solution: {} },
    { challenge: { parameters: null }, solution: null },
    [],
    null,
  ].map((each) => encodeProof(each as typeof proof));
  for (const header of [...forged, '', 'x', '%%%', 'e30', btoa('{'), 'A'.repeat(4000)]) {
    const { status, body } = await start(api, { [proofHeader]: header });
    assert.deepEqual([status, body.code], [429, 'proof_of_work_required'], header.slice(0, 60));
  }
  assert.equal((await start(api, { [proofHeader]: encodeProof(proof) })).status, 200);
});

test('in automatic mode a proof is required when many starts are in progress or capacity is short, and harder under more load', () => {
  const auto = { mode: 'auto', cost: 100 } as const;
  const rows: [deploying: number, committedShare: number, cost: number][] = [
    [0, 0, 0],
    [19, 0.79, 0],
    [20, 0, 100],
    [0, 0.8, 100],
    [59, 0.9, 200],
    [10_000, 1, 800],
  ];
  for (const [deploying, committedShare, cost] of rows)
    assert.equal(costOf(auto, { deploying, committedShare }), cost, `${deploying} ${committedShare}`);
  assert.equal(costOf({ mode: 'off', cost: 100 }, { deploying: 10_000, committedShare: 1 }), 0);
  assert.equal(costOf({ mode: 'always', cost: 100 }, { deploying: 0, committedShare: 0 }), 100);
});

test('a busy host requires a proof, an idle one does not', async () => {
  const api = await testApi({ proofOfWork: { mode: 'auto', cost: 1 } });
  for (let count = 0; count < 20; count++) assert.equal((await start(api)).status, 200);
  assert.equal((await start(api)).body.code, 'proof_of_work_required');
  await api.service.db.updateTable('deployments').set({ state: 'running' }).execute();
  assert.equal((await start(api)).status, 200);
});
