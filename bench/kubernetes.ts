/**
 * `npm run bench:kubernetes`, on the node of the tests, which is started if it does not run. Words select parts:
 *
 * - `live`: how long the guestbook takes from the POST until its page and its API answer, compared with `kubectl
 *   apply` and `kubectl wait` of the same four workloads written by hand, one after the other in each round (`--rounds
 *   5`, none of which starts later than `--within 180` seconds).
 * - `density`: the cost of a service with 200 deployments on a node without a machine, while nothing changes
 *   (`--deployments 200 --seconds 120`).
 * - `size`: the cost of a control plane with 10,000 deployments on a simulated cluster (`--seconds 120`).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfiguration } from '../src/config/parse.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { type Berth, createBerth, type Started, until } from '../test/scenarios/berth.ts';
import { measureClusterDensity } from './cluster-density.ts';
import { measureClusterSize } from './cluster-size.ts';
import { type Figure, type Section, spread } from './figures.ts';
import { applyAndWait, handWritten, removeNamespace } from './kubectl.ts';
import { jsonOf, tableOf } from './report.ts';
import { ratioOf } from './statistics.ts';
import { berthContender, type Contender, type Rounds, runRounds } from './time-to-live.ts';
import { createUndo, signalOfInterruption } from './undo.ts';

const say = (line: string) => console.log(line);
const byHand = 'kubectl apply, kubectl wait';

/** The part of the service that the contender uses. */
function serviceOf(berth: Berth) {
  const started = new Map<string, Started>();
  return {
    port: berth.settings.port,
    async start(yaml: string) {
      const askedAt = performance.now();
      const answer = await berth.start(yaml);
      started.set(answer.sessionToken, answer);
      return { ...answer, host: new URL(answer.url).host, ms: performance.now() - askedAt };
    },
    async remove({ sessionToken }: { sessionToken: string }) {
      const askedAt = performance.now();
      await berth.remove(started.get(sessionToken)!);
      await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
      const ms = performance.now() - askedAt;
      return ms;
    },
  };
}

function kubectlContender(spec: AppSpec, storageClass: string): Contender {
  let rounds = 0;
  return {
    name: byHand,
    async round(signal) {
      const namespace = `guestbook-by-hand-${++rounds}`;
      const objects = handWritten(spec, namespace, storageClass);
      try {
        const begunAt = performance.now();
        await applyAndWait(objects, namespace, signal);
        return { live: performance.now() - begunAt };
      } finally {
        await removeNamespace(namespace);
      }
    },
  };
}

async function measureLive(options: Rounds, signal: AbortSignal): Promise<Section[]> {
  const yaml = await readFile(join(import.meta.dirname, '../examples/guestbook.yaml'), 'utf8');
  const parsed = parseConfiguration(yaml);
  if (parsed.kind !== 'valid') throw new Error(`The guestbook is ${parsed.kind}.`);
  const undo = createUndo();
  const berth = await createBerth({}, { engine: 'kubernetes' });
  undo.add('end the service', () => berth.destroy());
  try {
    await berth.serve();
    const ours = berthContender(serviceOf(berth), yaml);
    const theirs = kubectlContender(parsed.spec, berth.environment.BERTH_STORAGE_CLASS!);
    const times = await runRounds([ours, theirs], options, say, signal);
    const live = (name: string) => times.get(name)!.map((round) => round.live!);
    const [mine, others] = [live(ours.name), live(byHand)];
    const row = (id: string, says: string, samples: number[]): Figure => ({
      id: `kubernetes.${id}`,
      says,
      samples,
      values: spread(samples),
    });
    const { ofMedians, medianOfPairs } = ratioOf(mine, others);
    return [
      {
        title: 'Guestbook on a cluster until it is live',
        unit: 'ms',
        figures: [
          row('live', 'Berth: POST until page and API answer 200', mine),
          row('by-hand', `${byHand}: until all four are available`, others),
        ],
      },
      {
        title: 'Berth / kubectl',
        unit: 'ratio',
        figures: [
          {
            id: 'kubernetes.ratio',
            says: 'until live; target: at most 1.1',
            values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs },
          },
        ],
      },
    ];
  } finally {
    for (const problem of await undo.run()) console.error(problem);
  }
}

async function measureDensity(signal: AbortSignal): Promise<Section[]> {
  const density = await measureClusterDensity(
    { deployments: Number(values.deployments), seconds: Number(values.seconds) },
    say,
    signal,
  );
  const { deployments, seconds, visits, requests, served, watches, share, bytes } = density;
  const row = (id: string, says: string, measured: number, target = Number.NaN): Figure => ({
    id: `kubernetes.density.${id}`,
    says,
    values: { measured, target },
  });
  return [
    {
      title: `${deployments} deployments on a cluster, ${seconds} s in which nothing changes`,
      unit: 'mixed',
      figures: [
        row('visits', 'visits of the service to deployments', visits),
        row('requests', 'requests of the service to the API, without watches', requests),
        row('each', 'the same for each visit, below', requests / Math.max(1, visits), 1),
        row('watches', 'watches opened by all clients of the cluster', watches),
        row('served', 'requests that the API server answered, from all clients', served),
        row('share', 'processor of the service, % of one', share * 100),
        row('bytes', 'memory of the service, MiB', bytes / 2 ** 20),
      ],
    },
  ];
}

async function measureSize(): Promise<Section[]> {
  const { idle, ...size } = await measureClusterSize(10_000, Number(values.seconds));
  const { deployments, pods, requests, openMs, observeMs, listMs, bytes } = size;
  const row = (id: string, says: string, measured: number, target = Number.NaN): Figure => ({
    id: `kubernetes.size.${id}`,
    says,
    values: { measured, target },
  });
  return [
    {
      title: `${deployments} deployments with ${pods} pods on a simulated cluster`,
      unit: 'mixed',
      figures: [
        row('open', 'until the engine knows them, ms', openMs),
        row('memory', 'memory of what it knows, MiB', bytes / 2 ** 20),
        row('observe', 'a look at one deployment, ms', observeMs),
        row('list', 'a look at all for the sweep, ms', listMs),
        row('each', 'requests to the API for each look, below', requests / deployments, 1),
      ],
    },
    {
      title: `The control loop with them, ${idle.seconds} s in which nothing changes`,
      unit: 'mixed',
      figures: [
        row('visits', 'visits to deployments', idle.visits),
        row('visit', 'requests to the API for each visit, below', idle.requests / Math.max(1, idle.visits), 1),
        row('share', 'processor, % of one', idle.share * 100),
        row('resident', 'memory of the process, MiB', idle.residentBytes / 2 ** 20),
      ],
    },
  ];
}

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    within: { type: 'string', default: '180' },
    deployments: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '120' },
  },
  allowPositionals: true,
});
const signal = signalOfInterruption();
const parts = {
  live: () => {
    const enough = AbortSignal.timeout(Number(values.within) * 1_000);
    return measureLive({ rounds: Number(values.rounds), warmUps: 1, enough }, signal);
  },
  density: () => measureDensity(signal),
  size: measureSize,
};
for (const [name, measure] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const sections = await measure();
  for (const section of sections) say(tableOf(section));
  for (const line of sections.flatMap(jsonOf)) say(line);
}
