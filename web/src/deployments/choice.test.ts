import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reservation } from '../service/records.ts';
import { type Choice, choiceIn, chosen, groups, orders, withChoice } from './choice.ts';
import type { Listed } from './use-list.ts';

type Health = Reservation['status']['health'];

function alive(applicationName: string, health: Health, expiresAt?: string): Listed {
  const place = { applicationName, environment: 'jolly-tapir', url: `https://${applicationName}.example.com` };
  const reservation = { ...place, status: { health }, expiresAt } as unknown as Reservation;
  return { ...place, fate: { kind: 'alive', reservation } };
}

const ended: Listed = {
  applicationName: 'blog',
  environment: 'calm-otter',
  url: 'https://blog.example.com',
  fate: { kind: 'ended', startedAt: '2026-01-01T00:00:00Z' },
};
const listed = [
  alive('shop', 'running', '2026-01-03T00:00:00Z'),
  alive('chat', 'failed', '2026-01-02T00:00:00Z'),
  ended,
  alive('api', 'degraded'),
];
const all: Choice = { search: '', group: 'all', order: 'newest' };
const namesOf = (choice: Partial<Choice>) => chosen(listed, { ...all, ...choice }).map((one) => one.applicationName);

test('every choice has an address that leads back to it, and the default has none', () => {
  for (const group of [...groups, 'all'] as const) {
    for (const order of orders) {
      const choice = { search: 'a&b', group, order };
      assert.deepEqual(choiceIn(withChoice(choice)), choice);
    }
  }
  assert.equal(withChoice(all), '');
  assert.deepEqual(choiceIn('?state=nothing&sort=nothing'), all);
});

test('a search looks for each word in name, environment and address', () => {
  assert.deepEqual(namesOf({ search: 'TAPIR sh' }), ['shop']);
  assert.deepEqual(namesOf({ search: 'otter' }), ['blog']);
  assert.deepEqual(namesOf({ search: 'nothing' }), []);
});

test('deployments that failed, are degraded or serve an earlier revision are in trouble', () => {
  assert.deepEqual(namesOf({ group: 'trouble' }), ['chat', 'api']);
  assert.deepEqual(namesOf({ group: 'ended' }), ['blog']);
});

test('the order is by name or by expiry; without an expiry comes later, and ended comes last', () => {
  assert.deepEqual(namesOf({ order: 'name' }), ['api', 'blog', 'chat', 'shop']);
  assert.deepEqual(namesOf({ order: 'expiry' }), ['chat', 'shop', 'api', 'blog']);
});
