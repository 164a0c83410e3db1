import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainOf } from '../../../test/support/domains.ts';
import { directionOf, type Finding, type ProofAnswer } from './domain-finding.ts';
import { afterCheck, type Domain, domainState, graceMs, pendingMs, releaseAt } from './domain-state.ts';
import { domainReason, wantedRecords } from './domain-text.ts';

const dayMs = 24 * 3_600_000;
const here = { direction: { kind: 'here' }, wanted: ['203.0.113.7'] } as const;
const proven: Finding = { proof: [{ server: 'ns1.example.com', said: 'proof' }], ...here, wanted: [...here.wanted] };
const absent: Finding = { ...proven, proof: [{ server: 'ns1.example.com', said: 'nothing' }] };
const silent: Finding = {
  ...proven,
  proof: [{ server: 'ns1.example.com', said: 'failed', because: 'does not answer' }],
};

const look = (domain: Domain, finding: Finding, now: number, isFree = true): Domain => ({
  ...domain,
  ...afterCheck(domain, finding, { now, isFree, random: 0 }),
});

test('the states of a domain, from its first day to its last', () => {
  const added = domainOf({ addedAt: 0 });
  assert.equal(domainState(added, false), 'pending');
  const waiting = look(added, absent, 10);
  assert.equal(domainState(waiting, false), 'pending');
  const elsewhere: Finding = { ...proven, direction: { kind: 'nowhere' } };
  assert.equal(domainState(look(waiting, elsewhere, 20), false), 'verified');
  const here = look(waiting, proven, 20);
  assert.equal(domainState(here, false), 'certifying');
  assert.equal(domainState(here, true), 'live');
  assert.equal(domainState(here, undefined), 'live');
  const failing = look(here, absent, dayMs);
  assert.equal(domainState(failing, true), 'failing');
  assert.equal(domainState(look(failing, proven, dayMs + 1), true), 'live');
  const lost = look(failing, absent, dayMs + graceMs.absent);
  assert.equal(domainState(lost, true), 'released');
  assert.equal(lost.releasedBecause, 'unproven');
});

test('a proof of a name that another account has proves nothing', () => {
  const taken = look(domainOf({}), proven, 10, false);
  assert.equal(domainState(taken, true), 'pending');
  assert.equal(taken.finding?.isTaken, true);
  assert.equal(look(taken, proven, 20).verifiedAt, 20);
});

test('silent name servers do not cost a name for a month, but a removed record does in three days', () => {
  const live = look(domainOf({}), proven, 0);
  const unanswered = look(look(live, silent, dayMs - 1), silent, dayMs);
  assert.equal(releaseAt(unanswered), dayMs + graceMs.unanswered);
  assert.equal(look(unanswered, silent, 30 * dayMs).releasedAt, null);
  assert.equal(releaseAt(look(live, absent, dayMs)), dayMs + graceMs.absent);
  assert.equal(look(unanswered, silent, dayMs + graceMs.unanswered).releasedBecause, 'unproven');
});

test('the three days begin when the record is first missing, after any time without answers', () => {
  const unanswered = look(look(look(domainOf({}), proven, 0), silent, dayMs - 1), silent, dayMs);
  const missed = look(unanswered, absent, 10 * dayMs);
  assert.equal(missed.releasedAt, null);
  assert.equal(releaseAt(missed), 10 * dayMs + graceMs.absent);
  const silentAgain = look(missed, silent, 11 * dayMs);
  assert.equal(releaseAt(silentAgain), 10 * dayMs + graceMs.absent, 'silence makes it no longer');
  assert.equal(look(silentAgain, absent, 13 * dayMs).releasedBecause, 'unproven');
  const late = look(unanswered, absent, 30 * dayMs);
  assert.equal(releaseAt(late), dayMs + graceMs.unanswered, 'nor is the month made longer');
  const back = look(missed, proven, 12 * dayMs);
  assert.equal(releaseAt(look(back, absent, 20 * dayMs)), 20 * dayMs + graceMs.absent);
});

test('one look that no server answers changes nothing of a name that is proven, and is soon made again', () => {
  const live = look(domainOf({}), proven, 0);
  const once = look(live, silent, dayMs);
  assert.equal(domainState(once, true), 'live');
  assert.deepEqual([releaseAt(once), once.nextCheckAt], [null, dayMs + 3_600_000]);
  assert.equal(domainState(look(once, silent, 2 * dayMs), true), 'failing');
  assert.equal(domainState(look(look(once, proven, 2 * dayMs), silent, 3 * dayMs), true), 'live');
  assert.equal(domainState(look(once, absent, 2 * dayMs), true), 'failing');
});

test('an address that could not be looked up takes nothing from a name that led here', () => {
  const unknown: Finding = { ...proven, direction: { kind: 'unknown', because: 'its name server does not answer' } };
  const live = look(domainOf({}), proven, 0);
  assert.equal(domainState(look(live, unknown, dayMs), true), 'live');
  assert.equal(domainState(look(live, { ...proven, direction: { kind: 'nowhere' } }, dayMs), true), 'verified');
  assert.equal(domainState(look(domainOf({}), unknown, 0), true), 'verified');
  const nameless = look(live, { ...unknown, wanted: [] }, dayMs);
  assert.deepEqual([nameless.finding?.wanted, nameless.nextCheckAt], [proven.wanted, dayMs + 3_600_000]);
});

test('the next check is at a whole millisecond, for any random value', () => {
  const { nextCheckAt } = afterCheck(domainOf({}), proven, { now: 1, isFree: true, random: 0.123456789 });
  assert.ok(Number.isSafeInteger(nextCheckAt));
});

test('a pending name is checked soon, a healthy one once a day, and one that is never verified is lost in two weeks', () => {
  const added = domainOf({ addedAt: 0 });
  const minutes = (domain: Domain, now: number) => (domain.nextCheckAt - now) / 60_000;
  assert.deepEqual(
    [0, 4, 60, 6_000].map((minute) => minutes(look(added, absent, minute * 60_000), minute * 60_000)),
    [0.5, 1, 15, 360],
  );
  assert.equal(minutes(look(added, proven, 0), 0), 24 * 60);
  assert.equal(minutes(look(look(added, proven, 0), absent, dayMs), dayMs), 60);
  assert.equal(look(added, absent, pendingMs - 1).releasedAt, null);
  assert.equal(look(added, absent, pendingMs).releasedAt, pendingMs);
});

test('one address elsewhere is where visitors may go', () => {
  const whole = (...found: string[]) => ({ found, isWhole: true });
  const part = (...found: string[]) => ({ found, isWhole: false });
  const [ours, other] = ['203.0.113.7', '2001:db8::1'];
  assert.deepEqual(directionOf(whole(ours), whole(ours, '2001:db8::7')), { kind: 'here' });
  assert.deepEqual(directionOf(whole(ours, other), whole(ours)), { kind: 'elsewhere', addresses: [other] });
  assert.deepEqual(directionOf(whole(), whole(ours)), { kind: 'nowhere' });
  assert.deepEqual(directionOf(part(ours), whole(ours)), { kind: 'here' });
  assert.equal(directionOf(part(), whole(ours)).kind, 'unknown');
  assert.equal(directionOf(whole(ours, other), part(ours)).kind, 'unknown', 'it may be one of this service');
});

test('the message names the server and its record', () => {
  const proof = { name: '_berth.shop.example.com', value: 'berth=x' };
  const words = (answers: ProofAnswer[], change: Partial<Domain> = {}) => {
    const domain = domainOf({ finding: { ...proven, proof: answers }, ...change });
    return domainReason(domain, domainState(domain, true), { proof, host: 'tapir-shop.apps.test' });
  };
  assert.equal(
    words([
      { server: 'ns1.example.com', said: 'other', found: ['v=spf1 -all', 'berth=y'], count: 5 },
      { server: 'ns2.example.com', said: 'failed', because: 'does not answer' },
    ]),
    'TXT _berth.shop.example.com not found: ns1.example.com has "v=spf1 -all", "berth=y" and 3 more; ns2.example.com does not answer.',
  );
  assert.match(words(silent.proof)!, /could not be looked up/);
  const missed = domainOf({ verifiedAt: 1, failingSince: 0, finding: { ...absent, absentSince: 0 } });
  assert.match(
    domainReason(missed, 'failing', { proof, host: 'tapir-shop.apps.test' })!,
    /stays live until 1970-01-04 00:00 UTC/,
  );
  const direction = { kind: 'elsewhere', addresses: ['198.51.100.1'] } as const;
  const misled = domainOf({
    verifiedAt: 1,
    finding: { ...proven, direction: { ...direction, addresses: ['198.51.100.1'] } },
  });
  const reported = (domain: Domain) => domainReason(domain, 'verified', { proof, host: 'tapir-shop.apps.test' });
  assert.match(
    reported(misled)!,
    /leads to 198\.51\.100\.1, which is not this service.*tapir-shop\.apps\.test \(CNAME\)/,
  );
  assert.match(reported({ ...misled, name: 'example.com' })!, /203\.0\.113\.7 \(A\) alone/);
  assert.deepEqual(wantedRecords({ ...misled, name: 'example.com' }, { proof, host: 'h.apps.test' }), [
    { type: 'TXT', ...proof },
    { type: 'A', name: 'example.com', value: '203.0.113.7' },
  ]);
});
