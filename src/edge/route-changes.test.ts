import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint, Site } from '../deployment/site.ts';
import {
  changeOf,
  compareMaps,
  type HostRoutes,
  hostsOf,
  type Maps,
  mapsOf,
  type RouteChange,
  type Turn,
} from './route-maps.ts';

const paths = ['/', '/api', '/api/v1'];
const endpoint: fc.Arbitrary<Endpoint> = fc.record({
  path: fc.constantFrom(...paths),
  address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
  port: fc.constantFrom(80, 81),
});
const site: fc.Arbitrary<Site> = fc.record({
  host: fc.constantFrom('a.test', 'b.test', 'c.test', 'd.test'),
  endpoints: fc.array(endpoint, { maxLength: 4 }),
});
/** Each entry sets some sites. */
const history = fc.array(fc.array(site, { maxLength: 3 }), { maxLength: 8 });

/** HAProxy's maps: lists in which the first entry of a key counts, and which commands change one by one. */
type Held = { [M in keyof Maps]: [string, string][] };

const split = (entry: string): [string, string] => [
  entry.slice(0, entry.indexOf(' ')),
  entry.slice(entry.indexOf(' ') + 1),
];
const held = ({ sites, routes, endpoints }: Maps): Held => ({
  sites: sites.map(split),
  routes: routes.map(split),
  endpoints: endpoints.map(split),
});
const shown = (entries: Held): Maps => {
  const lines = (list: [string, string][]) => list.map((entry) => entry.join(' '));
  return { sites: lines(entries.sites), routes: lines(entries.routes), endpoints: lines(entries.endpoints) };
};

function turn({ sites }: Held, turn: Turn): void {
  const found = sites.find(([host]) => host === turn.host);
  assert.equal(found !== undefined, turn.kind !== 'add', `${turn.kind} ${turn.host}`);
  if (turn.kind === 'del') sites.splice(sites.indexOf(found!), 1);
  else if (found) found[1] = turn.id;
  else sites.push([turn.host, turn.id]);
}

/** Returns the targets of a request. Undefined without a route, empty if an entry is missing. */
function look({ sites, routes, endpoints }: Held, host: string, path: string): string[] | undefined {
  const id = sites.find(([key]) => key === host)?.[1];
  if (id === undefined) return undefined;
  const [longest] = routes.filter(([key]) => `${id}${path}/`.startsWith(key)).sort(([a], [b]) => b.length - a.length);
  if (!longest) return undefined;
  const [number, count] = longest[1].split(':');
  const found = Array.from({ length: Number(count) }, (_, index) =>
    endpoints.find(([key]) => key === `${id}/${number}/${index}`),
  );
  return found.every((each) => each !== undefined) ? found.map(([, address]) => address) : [];
}

const hostsAsked = ['a.test', 'b.test', 'c.test', 'd.test'];
const answers = (state: Held, host: string) => paths.map((path) => look(state, host, path));
const tableOf = (sites: Map<string, Site>) =>
  new Map([...hostsOf(sites.values()).hosts].filter((each): each is [string, HostRoutes] => each[1] !== undefined));

type Step = { change: RouteChange; before: Map<string, HostRoutes>; after: Map<string, HostRoutes> };

function* stepsOf(steps: Site[][]): Generator<Step> {
  const current = new Map<string, Site>();
  for (const sites of steps) {
    const before = tableOf(current);
    const { hosts } = hostsOf(sites);
    for (const each of sites.toReversed()) current.set(each.host, each);
    yield { change: changeOf(before, hosts), before, after: tableOf(current) };
  }
}

test('changes in their order come to what the whole table is', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const state = held(mapsOf(new Map(), 'v'));
      let last = new Map<string, HostRoutes>();
      for (const { change, after } of stepsOf(steps)) {
        state.endpoints.push(...change.added.endpoints.map(split));
        state.routes.push(...change.added.routes.map(split));
        for (const each of change.turns) turn(state, each);
        last = after;
      }
      const whole = held(mapsOf(last, 'v'));
      for (const host of hostsAsked) assert.deepEqual(answers(state, host), answers(whole, host));
      assert.ok(compareMaps(shown(state), { table: last, version: 'v', lately: [] }).isRight);
    }),
  );
});

test('after each single command a host leads where it did or where it will, with all of its paths', () => {
  fc.assert(
    fc.property(history, (steps) => {
      for (const { change, before, after } of stepsOf(steps)) {
        const state = held(mapsOf(before, 'v'));
        const [old, next] = [held(mapsOf(before, 'v')), held(mapsOf(after, 'v'))];
        const check = () => {
          for (const host of hostsAsked) {
            const found = JSON.stringify(answers(state, host));
            assert.ok(
              [old, next].some((whole) => JSON.stringify(answers(whole, host)) === found),
              found,
            );
          }
        };
        for (const entry of change.added.endpoints) {
          state.endpoints.push(split(entry));
          check();
        }
        for (const entry of change.added.routes) {
          state.routes.push(split(entry));
          check();
        }
        for (const each of change.turns) {
          turn(state, each);
          check();
        }
      }
    }),
  );
});

test('a comparison finds any lost part of a change, and repairs it', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.boolean()), (steps, chance) => {
      for (const { change, before, after } of stepsOf(steps)) {
        const isKept = () => chance.next().value;
        const state = held(mapsOf(before, 'v'));
        state.endpoints.push(...change.added.endpoints.filter(isKept).map(split));
        state.routes.push(...change.added.routes.filter(isKept).map(split));
        for (const each of change.turns.filter(isKept)) turn(state, each);
        const whole = held(mapsOf(after, 'v'));
        const { isRight, replacement } = compareMaps(shown(state), { table: after, version: 'v', lately: [] });
        const isSame = hostsAsked.every(
          (host) => JSON.stringify(answers(state, host)) === JSON.stringify(answers(whole, host)),
        );
        assert.ok(!isRight || isSame);
        const mended = held(replacement);
        for (const host of hostsAsked) assert.deepEqual(answers(mended, host), answers(whole, host));
        // A request that has just read a host's ID still finds the same entries.
        for (const late of state.sites.filter(([host, id]) => after.get(host)?.id !== id)) {
          const found = answers(state, late[0]);
          const later = answers({ ...mended, sites: [late] }, late[0]);
          for (const [index, addresses] of found.entries())
            if (addresses?.length) assert.deepEqual(later[index], addresses);
        }
      }
    }),
  );
});
