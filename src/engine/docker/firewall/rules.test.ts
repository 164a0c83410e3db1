import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Egress, parseEgress } from '../../../deployment/workload/egress.ts';
import { bridgePrefix } from '../names.ts';
import {
  type Admission,
  admissionText,
  edgeText,
  policyChain,
  type RuleSettings,
  tableName,
  tableText,
} from './rules.ts';

const open: Egress = { kind: 'open' };
const list = parseEgress('203.0.113.0/24:443,10.0.0.7,[2001:db8::/32]:53')!;

/** Each for the first time. */
function admitted(bridges: [string, Egress][]): Map<string, Admission> {
  return new Map(bridges.map(([bridge, egress]) => [bridge, { egress, turn: 1 }]));
}

/** The rules of a chain, one a line. */
function chain(name: string, settings: Partial<RuleSettings> = {}, bridges: [string, Egress][] = []): string[] {
  const text = tableText({ owner: 'me', resolvers: ['10.0.0.53'], ...settings }, admitted(bridges));
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*)\\n  \\}`).exec(text)?.[1] ?? '';
  return body.split('\n').map((line) => line.trim());
}

test('at each hook the rules go by the prefix of the installation, so that no bridge of it is left out', () => {
  const ours = `iifname "${bridgePrefix('me')}*"`;
  for (const [hook, rule] of [
    ['forward', `${ours} goto leaving`],
    ['input', `${ours} goto to_host`],
    ['prerouting', `${ours} fib daddr . iif oif exists notrack`],
  ] as const)
    assert.ok(chain(hook).includes(rule), chain(hook).join('\n'));
  assert.ok(chain('forward').includes(`oifname "${bridgePrefix('me')}*" goto arriving`));
});

test('a chain that may let something through ends with a refusal', () => {
  for (const name of ['leaving', 'arriving', 'to_host']) assert.equal(chain(name).at(-1), 'goto refuse', name);
});

test('the proxy of builds is reached by builders alone, with any egress of their deployment', () => {
  const rule = 'ip saddr & 0.0.0.127 == 0.0.0.126 ip daddr 10.0.0.5 tcp dport 3128 accept';
  const buildProxy = { address: '10.0.0.5', port: 3128 };
  for (const name of ['leaving', 'to_host']) {
    const rules = chain(name, { buildProxy });
    const at = rules.indexOf(rule);
    assert.ok(at > 0 && rules.slice(0, at).every((each) => !each.includes('vmap @egress')), rules.join('\n'));
    assert.ok(!chain(name).some((each) => each.includes('ip saddr')));
  }
});

test('of the machine, a container reaches the resolvers and the edges that listen where it could', () => {
  assert.deepEqual(
    chain('to_host').filter((rule) => rule.includes('@edges')),
    [
      'ip daddr . tcp dport @edges4 iifname vmap @egress',
      'ip6 daddr . tcp dport @edges6 iifname vmap @egress',
      'tcp dport @edges iifname vmap @egress',
    ],
  );
  const inSets = (edges: RuleSettings['edges'] = []) =>
    [...tableText({ owner: 'me', resolvers: [], edges }, new Map()).matchAll(/set (edges\d?) \{\n(.*?)\n {2}\}/gs)]
      .map(([, name, text = '']) => [name, /elements = \{ (.*) \}/.exec(text)?.[1]])
      .filter(([, elements]) => elements);
  assert.deepEqual(inSets(), []);
  const here = { port: 80, of: 'a' };
  const rest = 'timeout 604800s expires 604800s comment "a"';
  assert.deepEqual(inSets([here]), [['edges', `80 ${rest}`]]);
  assert.deepEqual(inSets([{ ...here, address: '192.0.2.1' }]), [['edges4', `192.0.2.1 . 80 ${rest}`]]);
  assert.deepEqual(inSets([{ ...here, address: '2001:db8::1' }]), [['edges6', `2001:db8::1 . 80 ${rest}`]]);
  assert.deepEqual(inSets([here, { port: 81, of: 'b', leftSeconds: 7 }]), [
    ['edges', `80 ${rest}, 81 timeout 604800s expires 7s comment "b"`],
  ]);
});

test('an edge that is there already gets its whole time again, in one transaction', () => {
  const element = '{ 80 timeout 604800s expires 604800s comment "a" }';
  assert.deepEqual(edgeText('me', { port: 80, of: 'a' }).split('\n'), [
    `add element inet berth_me edges ${element}`,
    `delete element inet berth_me edges ${element}`,
    `add element inet berth_me edges ${element}`,
  ]);
});

test('open lets out to the internet but for mail, none nothing, a list what is on it', () => {
  const openRules = chain('egress_open', {}, [['b', open]]);
  assert.deepEqual(openRules.slice(-4), [
    'tcp dport { 25, 465, 587 } goto refuse',
    'ip daddr @reserved4 goto refuse',
    'ip6 daddr @reserved6 goto refuse',
    'accept',
  ]);
  assert.deepEqual(chain('egress_none', {}, [['b', { kind: 'none' }]]), ['goto refuse']);
  assert.deepEqual(chain(policyChain(list), {}, [['b', list]]).slice(2), [
    'ip daddr 203.0.113.0/24 meta l4proto { tcp, udp } th dport 443 accept comment "203.0.113.0/24:443"',
    'ip daddr 10.0.0.7/32 accept comment "10.0.0.7/32"',
    'ip6 daddr 2001:db8::/32 meta l4proto { tcp, udp } th dport 53 accept comment "[2001:db8::/32]:53"',
    'goto refuse',
  ]);
});

test('name queries go to their resolver, or all to one resolver, except for those among pods', () => {
  assert.deepEqual(chain('questions'), ['']);
  assert.deepEqual(chain('questions', { resolvers: ['9.9.9.9', '10.0.0.53'], answersAll: '9.9.9.9' }), [
    'type nat hook prerouting priority dstnat - 10; policy accept;',
    `iifname "${bridgePrefix('me')}*" ip daddr != @resolvers meta l4proto { tcp, udp } th dport 53 fib daddr . iif oif missing dnat ip to 9.9.9.9`,
  ]);
});

test('a policy has one chain however many networks have it, and another list another one', () => {
  const text = tableText(
    { owner: 'me', resolvers: [] },
    admitted([
      ['a', list],
      ['b', list],
      ['c', open],
    ]),
  );
  assert.equal(text.split(`chain ${policyChain(list)} {`).length, 2);
  assert.match(
    text,
    new RegExp(`"a" .* : goto ${policyChain(list)}, "b" .* : goto ${policyChain(list)}, "c" .* : goto egress_open`),
  );
  assert.notEqual(policyChain(list), policyChain(parseEgress('203.0.113.0/24:80')!));
});

test('a policy is changed in one transaction, and says which decision it is', () => {
  assert.equal(
    admissionText('me', 'b', { egress: open, turn: 1 }, false),
    'add element inet berth_me egress { "b" comment "1" : goto egress_open }',
  );
  assert.equal(
    admissionText('me', 'b', { egress: { kind: 'none' }, turn: 2 }, true),
    'delete element inet berth_me egress { "b" }\nadd element inet berth_me egress { "b" comment "2" : goto egress_none }',
  );
});

test('the name of a table has nothing in it that nft would read as something else', () => {
  assert.equal(tableName('me; flush ruleset'), 'berth_me__flush_ruleset');
});
