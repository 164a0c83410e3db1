/** The walls of a container, tried from inside: deployments through the API, on the machine's engine. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { type Attacker, deployAttacker } from './attacker.ts';
import { type Case, knowledge, privileges, systemCalls } from './container-attempts.ts';
import { harmTests } from './container-harm.ts';

let berth: Berth;
let attacker: Attacker;
let neighbour: Attacker;
const outcomes = new Map<Case, string>();
/** The results of the system calls, in their order. */
let results: string[];

before(async () => {
  berth = await createBerth();
  await berth.serve();
  [attacker, neighbour] = await Promise.all([deployAttacker(berth, 'attacker'), deployAttacker(berth, 'neighbour')]);
  const argv: [string, ...string[]] = [
    'node',
    '--no-warnings',
    '/app/syscall.ts',
    ...systemCalls.map(({ call }) => call),
  ];
  const all = [...privileges, ...knowledge];
  const together = all.filter(({ isAlone }) => !isAlone);
  const attempts = [{ by: 'program' as const, argv }, ...together.map(({ attempt }) => attempt)];
  const [called, ...answers] = await attacker.attempt(attempts);
  results = called!.replace(/^0: /, '').split('\n');
  for (const [index, each] of together.entries()) outcomes.set(each, answers[index]!);
  for (const each of all.filter(({ isAlone }) => isAlone)) {
    const [answer] = await attacker.attempt([each.attempt]);
    outcomes.set(each, answer!);
  }
});
after(() => berth?.destroy());

describe('by a system call, root in a container does not get', () => {
  for (const [index, { name, expected }] of systemCalls.entries())
    test(name, () => assert.equal(results[index], expected));
});

for (const [title, cases] of [
  ['privileges of root in a container:', privileges],
  ['a container does not learn', knowledge],
] as const)
  describe(title, () => {
    for (const each of cases) test(each.name, () => assert.match(outcomes.get(each)!, each.expected));
  });

harmTests(() => ({ berth, attacker, neighbour }));
