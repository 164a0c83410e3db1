/**
 * `npm run bench:kubernetes`: how long the guestbook takes on a cluster from the POST until its page and its API answer,
 * beside `kubectl apply` and `kubectl wait` of the same four workloads written by hand, one after the other in each
 * round. On the node of the tests, which is started where it does not run.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfiguration } from '../src/config/parse.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { namespaceName } from '../src/engine/kubernetes/names.ts';
import { type Berth, createBerth, type Started, until } from '../test/scenarios/berth.ts';
import { type Figure, spread } from './figures.ts';
import { applyAndWait, handWritten, removeNamespace } from './kubectl.ts';
import { jsonOf, tableOf } from './report.ts';
import { ratioOf } from './statistics.ts';
import { berthContender, type Contender, runRounds } from './time-to-live.ts';
import { createUndo, signalOfInterruption } from './undo.ts';

const say = (line: string) => console.log(line);
const byHand = 'kubectl apply, kubectl wait';

/** What the contender needs of a service. */
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
      const { id } = await berth.row(started.get(sessionToken)!);
      await berth.remove(started.get(sessionToken)!);
      await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
      const ms = performance.now() - askedAt;
      // The next round is not to pay for the end of this one.
      await removeNamespace(namespaceName(id));
      return ms;
    },
  };
}

function kubectlContender(spec: AppSpec, storageClass: string): Contender {
  return {
    name: byHand,
    async round(signal) {
      const namespace = 'guestbook-by-hand';
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

async function measure(options: { rounds: number; warmUps: number }, signal: AbortSignal): Promise<void> {
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
      ...{ id: `kubernetes.${id}`, says, samples },
      values: spread(samples),
    });
    const { ofMedians, medianOfPairs } = ratioOf(mine, others);
    const sections = [
      {
        ...{ title: 'Guestbook on a cluster until it is live', unit: 'ms' as const },
        figures: [
          row('live', 'Berth: POST until page and API answer 200', mine),
          row('by-hand', `${byHand}: until all four are available`, others),
        ],
      },
      {
        ...{ title: 'Berth / kubectl', unit: 'ratio' as const },
        figures: [
          {
            ...{ id: 'kubernetes.ratio', says: 'until live; asked for: at most 1.1' },
            values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs },
          },
        ],
      },
    ];
    for (const section of sections) say(tableOf(section));
    for (const line of sections.flatMap(jsonOf)) say(line);
  } finally {
    for (const problem of await undo.run()) console.error(problem);
  }
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
await measure({ rounds: Number(values.rounds), warmUps: 1 }, signalOfInterruption());
