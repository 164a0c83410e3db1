/** A path leads to the pod that its normalised form names, and that pod receives that form: none is passed by a trick. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Outcome, openWorld, plain, statusOf, type World } from './edge-world.ts';

/** The victim has a pod at `/` and another one at `/admin`. The expected path lacks the query with the mark. */
type Row = [target: string, reaches: '400' | `${'victim' | 'victim-admin'} /${string}`];

const rows: Row[] = [
  // The same path in other spellings.
  ['/x/../admin', 'victim-admin /admin'],
  ['/./admin', 'victim-admin /admin'],
  ['//admin', 'victim-admin /admin'],
  ['///admin', 'victim-admin /admin'],
  ['/%61dmin', 'victim-admin /admin'],
  ['/%61%64%6D%69%6E', 'victim-admin /admin'],
  ['/x/%2e%2e/admin', 'victim-admin /admin'],
  ['/x/.%2E/admin', 'victim-admin /admin'],
  ['/../../admin', 'victim-admin /admin'],
  ['/%2e/admin', 'victim-admin /admin'],
  ['/admin/./x', 'victim-admin /admin/x'],

  // Out of it again.
  ['/admin/..', 'victim /'],
  ['/admin/%2e%2e', 'victim /'],
  ['/admin/../secret', 'victim /secret'],
  ['/admin/%2e%2e/secret', 'victim /secret'],

  // Other paths, however alike: what a pod would make of them after another decoding is not the edge's path.
  ['/admin%2f', 'victim /admin%2F'],
  ['/admin%2f..%2fsecret', 'victim /admin%2F..%2Fsecret'],
  ['/x%2f..%2fadmin', 'victim /x%2F..%2Fadmin'],
  ['/%2fadmin', 'victim /%2Fadmin'],
  ['/..%2fadmin', 'victim /..%2Fadmin'],
  ['/admin%5c', 'victim /admin%5C'],
  ['/admin%5c..%5csecret', 'victim /admin%5C..%5Csecret'],
  ['/..%5cadmin', 'victim /..%5Cadmin'],
  ['/x\\..\\admin', 'victim /x\\..\\admin'],
  ['/..;/admin', 'victim /..;/admin'],
  ['/;/admin', 'victim /;/admin'],
  ['/admin;x=y', 'victim /admin;x=y'],
  ['/admin;/x', 'victim /admin;/x'],
  ['/ADMIN', 'victim /ADMIN'],
  ['/admin%00', 'victim /admin%00'],
  ['/x%00/../admin', 'victim-admin /admin'],
  ['/admin%20', 'victim /admin%20'],
  ['/admin.', 'victim /admin.'],
  ['/admin%3f', 'victim /admin%3F'],
  ['/admin%23', 'victim /admin%23'],
  ['/%252e%252e/admin', 'victim /%252e%252e/admin'],
  ['/%2561dmin', 'victim /%2561dmin'],
  ['/%c0%ae%c0%ae/admin', 'victim /%C0%AE%C0%AE/admin'],
  ['/%e2%80%ae/admin', 'victim /%E2%80%AE/admin'],
  ['/.../admin', 'victim /.../admin'],
  ['/x//../admin', 'victim /x/admin'],
  ['/?/../admin', 'victim /'],
  ['/admin/..%2f', 'victim-admin /admin/..%2F'],

  // No paths at all.
  ['/admin%', '400'],
  ['/%zz/../admin', '400'],
  ['/%u0061dmin', '400'],
  ['/ad\0min', '400'],
  ['/ad\tmin', '400'],
  ['/ad\x7fmin', '400'],
  ['/adm\xefn', '400'],
  ['/#/../admin', '400'],
  ['admin', '400'],
  ['\\admin', '400'],
  ['?/admin', '400'],
];

let world: World;
let outcomes: Map<string, Outcome>;
const all = rows.map(([target, reaches], index) => {
  const mark = `mark-${index}`;
  const marked = `${target}${target.includes('?') ? '&' : '?'}${mark}`;
  return { target, reaches, mark, bytes: plain('victim.test', marked, [`X: ${mark}`]) };
});

before(async () => {
  world = await openWorld();
  outcomes = await world.attempt(all);
});
after(() => world.end());

for (const { target, reaches, mark } of all) {
  test(`${JSON.stringify(target)} ${reaches === '400' ? 'is refused' : `reaches ${reaches}`}`, () => {
    const { answer, reached } = outcomes.get(mark)!;
    const arrived = reached.map((line) => line.replace(/\?.*$/, ''));
    assert.deepEqual(arrived, reaches === '400' ? [] : [reaches], answer.slice(0, 200));
    if (reaches === '400') assert.equal(statusOf(answer), '400');
  });
}
