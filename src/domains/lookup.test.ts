/** Tests a real DNS client with servers that send unexpected answers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import packet, { type Answer } from 'dns-packet';
import { type NameServer, recordsOf, type Said, startNameServer } from '../../test/support/name-server.ts';
import { type ProofAnswer, proofOutcome } from '../deployment/domain/domain-finding.ts';
import { proofRecord } from '../deployment/domain/domain-proof.ts';
import { createLookup } from './lookup.ts';

const name = 'shop.example.com';
const host = 'tapir-shop.apps.test';
const proof = proofRecord({ installation: 'one', accountId: 'ada', name });
const open: NameServer[] = [];
after(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

async function serve(say: (type: string, name: string) => Said): Promise<NameServer> {
  const server = await startNameServer(say);
  open.push(server);
  return server;
}

const addresses = { [`A ${host}`]: ['203.0.113.7'], [`A ${name}`]: ['203.0.113.7'] };
const zone = { 'NS example.com': ['ns1.example.com'], 'A ns1.example.com': ['127.0.0.1'] };

/**
 * Returns the result for these answers of the resolver and the name server. Without `say`, the zone has no server that
 * can be queried.
 */
async function look(resolver: Record<string, readonly string[]>, say?: (type: string, name: string) => Said) {
  const common = await serve(recordsOf({ ...addresses, ...(say && zone), ...resolver }));
  const own = say && (await serve(say));
  const lookup = createLookup({
    resolvers: [common.address],
    isAllowed: () => own !== undefined,
    limitMs: 6_000,
    ...(own && { serverPort: own.port }),
  });
  return await lookup({ name, proof, host });
}

const txt = (...values: string[]) => recordsOf({ [`TXT ${proof.name}`]: values });

test('the name servers of the zone say whether it is proven, and what is there instead', async () => {
  const proven = await look({}, txt('v=spf1 -all', proof.value));
  assert.deepEqual(proven, {
    proof: [{ server: 'ns1.example.com', said: 'proof' }],
    direction: { kind: 'here' },
    wanted: ['203.0.113.7'],
  });
  const other = await look({}, txt('berth=of-somebody-else'));
  assert.deepEqual(other.proof, [
    { server: 'ns1.example.com', said: 'other', found: ['berth=of-somebody-else'], count: 1 },
  ]);
  const none = await look({ [`TXT ${proof.name}`]: [proof.value] }, txt());
  assert.deepEqual(none.proof, [{ server: 'ns1.example.com', said: 'nothing' }], 'regardless of cached answers');
});

test('owning the target of an alias proves nothing: the zone of the alias decides', async () => {
  const target = { 'NS foo.test': ['ns1.foo.test'], 'A ns1.foo.test': ['127.0.0.1'] };
  const alias = { ...addresses, [`CNAME ${name}`]: ['foo.test'], ...target };
  const { proof: answers } = await look(alias, txt(proof.value));
  assert.deepEqual(answers, [{ server: 'ns1.example.com', said: 'proof' }], 'the parent zone is queried');
  const common = await serve(recordsOf(alias));
  const own = await serve(txt(proof.value));
  const lookup = createLookup({ resolvers: [common.address], isAllowed: () => true, serverPort: own.port });
  const found = await lookup({ name, proof, host });
  assert.deepEqual(found.proof, [{ server: 'the resolver', said: 'nothing' }]);
  assert.equal(own.asked.size, 0);
});

test('if it is unknown whether a name is an alias, no name server is queried', async () => {
  const say = recordsOf({ ...addresses, ...zone });
  const common = await serve((type, name) => (type === 'CNAME' ? { rcode: 'SERVFAIL' } : say(type, name)));
  const own = await serve(txt(proof.value));
  const lookup = createLookup({ resolvers: [common.address], isAllowed: () => true, serverPort: own.port });
  const found = await lookup({ name, proof, host });
  assert.deepEqual(found.proof, [{ server: 'the resolver', said: 'failed', because: 'fails (SERVFAIL)' }]);
  assert.equal(own.asked.size, 0);
});

test('for a deep name the last five zones are queried', async () => {
  const deep = 'a.b.c.d.e.f.example.com';
  const common = await serve(recordsOf({}));
  const lookup = createLookup({ resolvers: [common.address] });
  await lookup({ name: deep, proof: proofRecord({ installation: 'one', accountId: 'ada', name: deep }), host });
  assert.deepEqual(
    [...common.asked.keys()].filter((key) => key.startsWith('NS ')),
    ['c.d.e.f', 'd.e.f', 'e.f', 'f'].map((above) => `NS ${above}.example.com`).concat('NS example.com'),
  );
});

test('at its time limit, a lookup returns its results so far and sends no further queries', async () => {
  const common = await serve(() => 'drop');
  const found = await createLookup({ resolvers: [common.address], limitMs: 100 })({ name, proof, host });
  const because = 'does not answer in time';
  assert.deepEqual(found, {
    proof: [{ server: 'the resolver', said: 'failed', because }],
    direction: { kind: 'unknown', because: `its name server ${because}` },
    wanted: [],
  });
  assert.ok(![...common.asked.keys()].some((key) => key.endsWith(' example.com')));
});

test('if no name server may be queried, or none answers, the resolver is used', async () => {
  const { proof: answers } = await look({ ...zone, [`TXT ${proof.name}`]: [proof.value] });
  assert.deepEqual(answers, [
    { server: 'ns1.example.com', said: 'failed', because: 'has no public address' },
    { server: 'the resolver', said: 'proof' },
  ]);
  const refused = await look({}, () => ({ rcode: 'REFUSED' }));
  assert.deepEqual(
    refused.proof.map(({ said }) => said),
    ['failed', 'nothing'],
  );
});

test('by default a name server at an address of this machine or its networks is never queried', async () => {
  const own = await serve(txt(proof.value));
  const places = { 'A ns1.example.com': ['127.0.0.1'], 'A ns2.example.com': ['169.254.169.254'] };
  const records = { ...addresses, ...places, 'NS example.com': ['ns1.example.com', 'ns2.example.com'] };
  const common = await serve(recordsOf(records));
  const found = await createLookup({ resolvers: [common.address], serverPort: own.port })({ name, proof, host });
  assert.deepEqual(
    found.proof.map((answer) => answer.said === 'failed' && answer.because),
    ['has no public address', 'has no public address', false],
  );
  assert.equal(own.asked.size, 0);
});

test('the target of a name is returned, with an alias, too', async () => {
  const direction = async (records: Record<string, readonly string[]>) => (await look(records, txt())).direction;
  assert.deepEqual(await direction({ [`A ${name}`]: [], [`CNAME ${name}`]: [host] }), { kind: 'here' });
  assert.deepEqual(await direction({ [`A ${name}`]: ['198.51.100.9'] }), {
    kind: 'elsewhere',
    addresses: ['198.51.100.9'],
  });
  assert.deepEqual(await direction({ [`AAAA ${name}`]: ['2001:db8::1'] }), {
    kind: 'elsewhere',
    addresses: ['2001:db8::1'],
  });
  assert.deepEqual(await direction({ [`A ${name}`]: [] }), { kind: 'nowhere' });
});

/** Returns as many records as a message can contain. */
function flood(): Said {
  const answers: Answer[] = Array.from({ length: 3_000 }, () => ({
    type: 'TXT' as const,
    name: '.',
    ttl: 1,
    data: 'xxxxxxxxx',
  }));
  return { answers };
}

function longRecord(): Said {
  const data = Array.from({ length: 250 }, () => 'y'.repeat(255));
  return { answers: [{ type: 'TXT', name: proof.name, ttl: 1, data }] };
}

/** Returns an alias that leads to itself, with a compressed name that points into itself. */
function loop(): Said {
  return { answers: [{ type: 'CNAME', name: proof.name, data: proof.name, ttl: 1 }] };
}

/** A name compressed into a pointer at itself. */
function pointerLoop(): Said {
  const head = packet.encode({ type: 'response', id: 0, questions: [{ type: 'TXT', name: proof.name }] });
  head.writeUInt16BE(1, 6);
  const own = Buffer.alloc(2);
  own.writeUInt16BE(0xc000 | head.length);
  return Buffer.concat([head, own, Buffer.from([0, 16, 0, 1, 0, 0, 0, 1, 0, 2, 1, 120])]);
}

for (const [what, say, expected] of [
  ['3,000 records in 64 KB', flood, 'other'],
  ['an alias to itself', loop, 'nothing'],
  ['a name that points into itself', pointerLoop, 'failed'],
  ['one record of 64 KB', longRecord, 'other'],
  ['not a DNS message', () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 'failed'],
  ['no answer', () => 'drop', 'failed'],
] as const satisfies readonly (readonly [string, () => Said, ProofAnswer['said']])[])
  test(`a server that sends ${what} proves nothing and holds up nothing`, async () => {
    const { proof: answers, direction } = await look({}, () => say());
    assert.notEqual(proofOutcome(answers), 'found');
    assert.equal(answers[0]?.said, expected);
    assert.ok(JSON.stringify(answers).length < 2_000, 'little of it is kept');
    assert.deepEqual(direction, { kind: 'here' });
  });
