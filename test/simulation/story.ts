/** The content of a run: requests and faults. As values, so that a failing one shrinks. */
import fc from 'fast-check';
import type { AppSpec } from '../../src/config/spec/spec.ts';
import type { FacetName, FaultKind } from '../../src/engine/engine.ts';
import { application } from './application.ts';

export type Act =
  | { kind: 'start'; spec: AppSpec }
  /** `which` counts deployments from the first one, round and round. */
  | { kind: 'update'; which: number; spec: AppSpec }
  | { kind: 'extend' | 'claim' | 'remove' | 'restore' | 'forget'; which: number }
  /** The clock on the wall is set, forwards or back; and right again after so long, where that is given. */
  | { kind: 'set-clock'; byMs: number; backAfterMs?: number }
  /** Behind our back; `which` counts what there is of that kind. */
  | { kind: 'crash' | 'halt' | 'lose-workload' | 'lose-network' | 'lose-volume'; which: number }
  | { kind: 'lose-image' | 'move-tag'; which: number }
  /** For so long no pull of the image gets any further. */
  | { kind: 'stall'; which: number; ms: number }
  | { kind: 'registries'; areAway: boolean }
  /** A worker's process dies, ends in good order, or stands still for so long. It comes back by itself. */
  | { kind: 'kill' | 'stop'; worker: number }
  | { kind: 'freeze'; worker: number; ms: number };

/** The fate of one call to the engine or the edge: the `call`-th of the run, of any kind or of that one. */
export type Blow = {
  of: 'any' | 'publish' | 'start' | 'remove';
  call: number;
  when: 'before' | 'halfway' | 'after';
  what:
    | { kind: 'fault'; fault: FaultKind | 'foreign' }
    /** No answer arrives until the caller has waited long enough. */
    | { kind: 'hang'; fault: FaultKind }
    /** A request arrives at that very moment. */
    | { kind: 'asked'; act: Act }
    /** The same, and then it fails. */
    | { kind: 'overtaken' }
    | { kind: 'slow'; ms: number }
    | { kind: 'death' }
    /** The process stands still right there, and then goes on as if nothing had been. */
    | { kind: 'freeze'; ms: number };
};

export type Story = {
  /** The facets of the engine. */
  facets: FacetName[];
  /** The seed of random durations and jitter. */
  seed: number;
  workers: 1 | 2 | 3;
  /** How far the clock of each is ahead; without effect for a single process. */
  skewsMs: number[];
  acts: { afterMs: number; act: Act }[];
  blows: Blow[];
  /** Numbers of writes to the store that fail, as when its disk is full. */
  lostWrites: number[];
  /** Numbers of commits whose answer is lost on the way to the process. */
  lostAnswers: number[];
  /** Numbers of intents whose commit is done, and the API does not hear of it. */
  lostReplies: number[];
  /** Numbers of reads that arrive so late that others have written since. */
  lateReads: { read: number; ms: number }[];
  /** The share of other processes' notifications that each process receives. */
  heardShare: number;
  /** A deployment without use for this long is frozen, and stopped after three times as long; 0: never. */
  sleepAfterMs: number;
  /** Requests of visitors, by the time since the start. */
  visits: { atMs: number; which: number }[];
};

const minute = 60_000;
const longer = [3_000, 20_000, 70_000];

/** So often as its weight says, compared with its neighbours. */
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const kinds = <const T extends string>(...kinds: T[]) => fc.constantFrom(...kinds);
const which = fc.nat({ max: 7 });
const worker = fc.nat({ max: 2 });

const intent: fc.Arbitrary<Act> = fc.oneof(
  often(3, fc.record({ kind: kinds('start'), spec: application })),
  often(5, fc.record({ kind: kinds('update'), which, spec: application })),
  often(3, fc.record({ kind: kinds('extend', 'claim', 'remove'), which })),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  often(11, intent),
  often(
    2,
    fc.record(
      {
        kind: kinds('set-clock'),
        byMs: fc.constantFrom(-180 * minute, -minute, -5_000, 5_000, minute, 45 * minute, 180 * minute),
        backAfterMs: fc.constantFrom(10, 60, 300, 20_000),
      },
      { requiredKeys: ['kind', 'byMs'] },
    ),
  ),
  often(3, fc.record({ kind: kinds('crash', 'halt', 'lose-workload', 'lose-network', 'lose-volume'), which })),
  often(1, fc.record({ kind: kinds('lose-image', 'move-tag'), which })),
  often(1, fc.record({ kind: kinds('stall'), which, ms: fc.constantFrom(20_000, 7 * minute) })),
  often(1, fc.record({ kind: kinds('registries'), areAway: fc.boolean() })),
  often(1, fc.record({ kind: kinds('kill', 'stop'), worker })),
  often(1, fc.record({ kind: kinds('freeze'), worker, ms: fc.constantFrom(...longer) })),
);

const place = fc.oneof(
  often(3, fc.record({ of: kinds('any'), call: fc.integer({ min: 1, max: 120 }) })),
  often(2, fc.record({ of: kinds('publish', 'start', 'remove'), call: fc.integer({ min: 1, max: 8 }) })),
);

const suffering: fc.Arbitrary<Blow['what']> = fc.oneof(
  often(2, fc.record({ kind: kinds('fault'), fault: kinds('unavailable', 'bad-request', 'foreign') })),
  often(1, fc.record({ kind: kinds('hang'), fault: kinds('unavailable') })),
  often(2, fc.record({ kind: kinds('slow'), ms: fc.constantFrom(2_000, 20_000, 90_000) })),
  often(3, fc.record({ kind: kinds('asked'), act: intent })),
  often(1, fc.record({ kind: kinds('overtaken') })),
  often(3, fc.record({ kind: kinds('death') })),
  often(2, fc.record({ kind: kinds('freeze'), ms: fc.constantFrom(...longer) })),
);

const blow: fc.Arbitrary<Blow> = fc
  .tuple(place, kinds('before', 'halfway', 'after'), suffering)
  .map(([at, when, what]) => ({ ...at, when, what }));

const pause = fc.constantFrom(0, 20, 300, 2_000, 10_000, 45_000, 3 * minute);

/**
 * Hosts that show their images are the rule; to look at the disk five times a second takes most of a run. In this world
 * who goes leaves his address to the next one, so that it has to be held back.
 */
const facets: fc.Arbitrary<FacetName[]> = fc
  .tuple(
    ...(
      [
        ['images', 3, 1],
        ['isolation', 3, 1],
        ['disk', 1, 19],
      ] as const
    ).map(([facet, has, lacks]) =>
      fc.oneof(often(has, fc.constant([facet])), often(lacks, fc.constant<FacetName[]>([]))),
    ),
  )
  .map((chosen) => ['addresses' as const, ...chosen.flat()]);

export const story: fc.Arbitrary<Story> = fc.record({
  facets,
  seed: fc.nat({ max: 2 ** 31 - 1 }),
  workers: fc.constantFrom(1, 2, 3),
  skewsMs: fc.oneof(
    often(1, fc.constant<number[]>([0, 0, 0])),
    often(1, fc.array(fc.constantFrom<number[]>(0, 5_000), { minLength: 3, maxLength: 3 })),
  ),
  acts: fc
    .tuple(application, fc.array(fc.record({ afterMs: pause, act }), { maxLength: 7, size: 'max' }))
    .map(([spec, rest]) => [{ afterMs: 0, act: { kind: 'start' as const, spec } }, ...rest]),
  blows: fc.array(blow, { maxLength: 5, size: 'max' }),
  lostWrites: fc.oneof(
    often(4, fc.constant<number[]>([])),
    often(1, fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 3 })),
  ),
  lostAnswers: fc.oneof(
    often(2, fc.constant<number[]>([])),
    often(1, fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { maxLength: 3 })),
  ),
  lostReplies: fc.oneof(
    often(2, fc.constant<number[]>([])),
    often(1, fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 2 })),
  ),
  lateReads: fc.oneof(
    often(2, fc.constant<Story['lateReads']>([])),
    often(
      1,
      fc.array(fc.record({ read: fc.integer({ min: 1, max: 300 }), ms: fc.constantFrom(400, 4_000) }), {
        maxLength: 4,
        size: 'max',
      }),
    ),
  ),
  heardShare: fc.constantFrom(1, 0.5, 0),
  sleepAfterMs: fc.oneof(often(1, fc.constant(0)), often(1, fc.constantFrom(2_000, 20_000, 2 * minute))),
  visits: fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 8 * minute }), which }), { maxLength: 12, size: 'max' }),
});

/** A line for everything that happens. */
export function describeStory(story: Story): string {
  const { seed, workers, skewsMs, facets, acts, blows, heardShare } = story;
  return [
    `seed ${seed}, ${workers} worker(s) with clocks ahead by ${skewsMs.slice(0, workers)} ms, an engine with [${facets}]`,
    `each hears ${heardShare * 100} % of what others make due`,
    ...acts.map(({ afterMs, act }) => `after ${afterMs} ms: ${describeAct(act)}`),
    ...blows.map(({ of, call, when, what }) => `${when} call ${call} of ${of}: ${describeEffect(what)}`),
    ...story.lostWrites.map((write) => `writing ${write} fails`),
    ...story.lostAnswers.map((commit) => `the answer to commit ${commit} is lost`),
    ...story.lostReplies.map((intent) => `the API does not learn that intent ${intent} was written`),
    `unused deployments sleep after ${story.sleepAfterMs} ms`,
    ...story.visits.map(({ atMs, which }) => `after ${atMs} ms: a request to ${which}`),
    ...story.lateReads.map(({ read, ms }) => `what read ${read} finds arrives ${ms} ms later`),
  ].join('\n');
}

export function describeEffect(what: Blow['what']): string {
  return what.kind === 'asked' ? describeAct(what.act) : JSON.stringify(what);
}

export function describeAct(act: Act): string {
  if (!('spec' in act)) return JSON.stringify(act);
  const pods = act.spec.pods.map(
    ({ name, image, resourceType, replicas, path, servicePorts, volumes, dependsOn, vars }) =>
      `    ${name}: ${image} ${resourceType} x${replicas} A=${vars.A} ${path ?? ''} ${servicePorts} ` +
      `volumes(${volumes.map(({ name, isShared }) => `${name}${isShared ? ' shared' : ''}`)}) needs(${dependsOn})`,
  );
  return [`${act.kind} ${'which' in act ? act.which : ''}`, ...pods].join('\n');
}
