import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Egress, parseEgress } from '../../../deployment/workload/egress.ts';
import { bridgePrefix } from '../names.ts';
import { admissionText, policyChain, type RuleSettings, tableName, tableText } from './rules.ts';

const open: Egress = { kind: 'open' };
const list = parseEgress('203.0.113.0/24:443,10.0.0.7,[2001:db8::/32]:53')!;

/** The rules of a chain, one a line. */
function chain(name: string, settings: Partial<RuleSettings> = {}, bridges: [string, Egress][] = []): string[] {
  const text = tableText({ owner: 'me', resolvers: ['10.0.0.53'], ...settings }, new Map(bridges));
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

test('of the machine, a container reaches the resolvers and the edge, if that listens where it could', () => {
  const edge = (settings: Partial<RuleSettings>) =>
    chain('to_host', settings).filter((rule) => /^(ip6? daddr \S+ )?tcp/.test(rule));
  assert.deepEqual(edge({}), []);
  assert.deepEqual(edge({ edge: { port: 80 } }), ['tcp dport 80 iifname vmap @egress']);
  const at = (address: string) => edge({ edge: { address, port: 80 } });
  assert.deepEqual(at('192.0.2.1'), ['ip daddr 192.0.2.1 tcp dport 80 iifname vmap @egress']);
  assert.deepEqual(at('2001:db8::1'), ['ip6 daddr 2001:db8::1 tcp dport 80 iifname vmap @egress']);
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
    'ip daddr 203.0.113.0/24 meta l4proto { tcp, udp } th dport 443 accept',
    'ip daddr 10.0.0.7/32 accept',
    'ip6 daddr 2001:db8::/32 meta l4proto { tcp, udp } th dport 53 accept',
    'goto refuse',
  ]);
});

test('questions about names go where they are asked, or all to one resolver, but for those among pods', () => {
  assert.deepEqual(chain('questions'), ['']);
  assert.deepEqual(chain('questions', { resolvers: ['9.9.9.9', '10.0.0.53'], answersAll: '9.9.9.9' }), [
    'type nat hook prerouting priority dstnat - 10; policy accept;',
    `iifname "${bridgePrefix('me')}*" ip daddr != @resolvers meta l4proto { tcp, udp } th dport 53 fib daddr . iif oif missing dnat ip to 9.9.9.9`,
  ]);
});

test('a policy has one chain however many networks have it, and another list another one', () => {
  const text = tableText(
    { owner: 'me', resolvers: [] },
    new Map([
      ['a', list],
      ['b', list],
      ['c', open],
    ]),
  );
  assert.equal(text.split(`chain ${policyChain(list)} {`).length, 2);
  assert.match(
    text,
    new RegExp(`"a" : goto ${policyChain(list)}, "b" : goto ${policyChain(list)}, "c" : goto egress_open`),
  );
  assert.notEqual(policyChain(list), policyChain(parseEgress('203.0.113.0/24:80')!));
});

test('a policy is changed in one transaction', () => {
  assert.equal(
    admissionText('me', 'b', open, undefined),
    'add element inet berth_me egress { "b" : goto egress_open }',
  );
  assert.equal(
    admissionText('me', 'b', { kind: 'none' }, open),
    'delete element inet berth_me egress { "b" }\nadd element inet berth_me egress { "b" : goto egress_none }',
  );
});

test('the name of a table has nothing in it that nft would read as something else', () => {
  assert.equal(tableName('me; flush ruleset'), 'berth_me__flush_ruleset');
});
