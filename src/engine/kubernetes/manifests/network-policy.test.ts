import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgress } from '../../../deployment/workload/egress.ts';
import type { FoundPolicy } from '../objects.ts';
import { isPolicyFor, networkPolicy, type PolicySettings } from './network-policy.ts';

const here: PolicySettings = { edgeNetworks: ['10.250.0.1/32'], hasPortRanges: true, storeVersion: 1_000 };
const moved: PolicySettings = { ...here, edgeNetworks: ['10.250.0.9/32'] };
const later = (settings: PolicySettings) => ({ ...settings, storeVersion: settings.storeVersion + 1 });
const open = parseEgress('open')!;
const list = parseEgress('203.0.113.0/24:443,[2001:db8::/32]')!;

/** The policy in a cluster to which the settings were applied. */
function written(settings: PolicySettings, egress = open): FoundPolicy {
  const manifest = networkPolicy('berthowner', 'abcdefghij', egress, settings);
  assert.ok(manifest.kind === 'NetworkPolicy');
  const { metadata, spec } = structuredClone(manifest);
  const given = { uid: 'u', resourceVersion: '2000', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { metadata: { ...metadata, ...given }, spec };
}

/** The same, with the fields in the order of an API server. */
function served(settings: PolicySettings, egress = open): FoundPolicy {
  const found = written(settings, egress);
  const reversed = (_: string, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value;
  return JSON.parse(JSON.stringify(found, reversed)) as FoundPolicy;
}

test('a policy matches while it is as wanted, or as a process that started later has made it', () => {
  const isRight = (made: PolicySettings, { egress = open, settings = here } = {}) =>
    isPolicyFor(egress, settings, served(made));
  assert.deepEqual([isRight(here), isRight({ ...here, storeVersion: 1 })], [true, true]);
  assert.deepEqual([isRight({ ...moved, storeVersion: 1 }), isRight(later(moved))], [false, true]);
  assert.equal(isRight(here, { egress: { kind: 'none' } }), false);
  assert.equal(isRight(later(moved), { egress: { kind: 'none' } }), false, 'a later one has made of another egress');
  assert.ok(isPolicyFor(list, here, served(here, list)));
  const both = [isRight(moved), isRight(here, { settings: moved })].sort();
  assert.deepEqual(both, [false, true], 'of two of the same instant, one decides');
});

test('an edited policy does not match, with any mark', () => {
  const edits: Record<string, (policy: FoundPolicy) => void> = {
    'all sources are allowed': ({ spec }) => spec!.ingress!.push({ from: [] }),
    'everything goes out': ({ spec }) => spec!.egress!.push({}),
    'an exception less': ({ spec }) => spec!.egress![2]!.to![0]!.ipBlock!.except!.pop(),
    'only some pods': ({ spec }) => Object.assign(spec!.podSelector!, { matchLabels: { app: 'web' } }),
    'what goes out is not looked at': ({ spec }) => spec!.policyTypes!.pop(),
    'nothing is said of what comes in': ({ spec }) => delete spec!.ingress,
    'nothing is said at all': (policy) => delete policy.spec,
  };
  for (const [name, edit] of Object.entries(edits))
    for (const made of [here, later(moved)]) {
      const policy = served(made);
      edit(policy);
      assert.equal(isPolicyFor(open, here, policy), false, name);
    }
});

test('no mark says more than the store can know', () => {
  const marked = (mark: string | undefined) => {
    const policy = served(moved);
    policy.metadata.annotations = mark === undefined ? {} : { 'berth.rules': mark };
    return isPolicyFor(open, here, policy);
  };
  const [version, , hash] = written(moved).metadata.annotations!['berth.rules']!.split(' ');
  assert.equal(marked(`${version} 1500 ${hash}`), true);
  assert.equal(marked(`${version} 2001 ${hash}`), false, 'of a store that this one was not restored from');
  assert.equal(marked(`${Date.parse('2100-01-01')} ${hash}`), false, 'by the clock of a process');
  for (const mark of [undefined, '', `${version} x ${hash}`, `${version} 1500`])
    assert.equal(marked(mark), false, String(mark));
});
