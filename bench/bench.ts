/**
 * `npm run bench`: time to live, updates and removal against Docker Compose, the latency of the API, how many
 * deployments fit, what the control loop costs with up to 100,000, what its stores take with 100,000, what the gate adds to a pull, and
 * builds from source against `docker build`, on this machine, in one run.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { type Announce, announceOn } from '../scripts/setup/announce.ts';
import { type Compose, provideCompose } from '../scripts/setup/compose.ts';
import { inspectHost } from '../scripts/setup/host.ts';
import { providePostgres } from '../scripts/setup/postgres.ts';
import { setUp } from '../scripts/setup/setup.ts';
import { parseConfiguration } from '../src/config/parse.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { buildSections } from './build-figures.ts';
import { measureBuilds } from './builds.ts';
import { measureCertificates } from './certificates.ts';
import { measureCommandLine } from './command-line.ts';
import { timeSections, updateSections } from './compared-figures.ts';
import { timed } from './compose.ts';
import { measureDensity } from './density.ts';
import {
  certificateSection,
  commandSection,
  densitySection,
  guardSection,
  latencySection,
  loopSections,
  neighbourSections,
  renewalSection,
  type Section,
  storeSections,
} from './figures.ts';
import { measureGuards } from './guards.ts';
import { imageSections } from './image-figures.ts';
import { measureImages } from './images.ts';
import { measureLatencies } from './latency.ts';
import { measureLoop } from './loop.ts';
import { measureNeighbour } from './neighbour.ts';
import { help, type Options, type Part, readOptions } from './options.ts';
import { measureRenewals } from './renewals.ts';
import { jsonOf, tableOf } from './report.ts';
import { type Service, startService } from './service.ts';
import { measureSleep, sleepSections, sleepSettings } from './sleep.ts';
import { snapshotSections } from './snapshot-figures.ts';
import { measureSnapshots } from './snapshots.ts';
import { median } from './statistics.ts';
import { measureStores } from './store.ts';
import { berthContender, composeContenders, runRounds } from './time-to-live.ts';
import { createUndo, signalOfInterruption, type Undo } from './undo.ts';
import { berthUpdates, composeUpdates, type Updates } from './updates.ts';

const guestbook = join(import.meta.dirname, '../examples/guestbook.yaml');
const say = (line: string) => console.log(line);

async function bench(options: Options, undo: Undo, signal: AbortSignal): Promise<void> {
  const announce = announceOn(process.stdout);
  await setUp({ announce });
  const isCompared = options.parts.includes('live') || options.parts.includes('updates');
  const compose = isCompared ? await composeIfPossible(options, announce) : undefined;
  describeMachine();
  let started: Promise<Service> | undefined;
  const serviceOf = () => {
    started ??= announce('Starting a service of its own', () => startService(options.settings, undo, signal));
    return started;
  };
  const sections: Section[] = [];
  for (const part of options.parts)
    sections.push(...(await measure(part, { options, compose, serviceOf, announce, undo, signal })));
  say('');
  for (const section of sections) say(tableOf(section));
  if (compose) await explainCompose(compose, signal);
  for (const line of sections.flatMap(jsonOf)) say(line);
}

type Bench = {
  options: Options;
  compose: Compose | undefined;
  /** Started when the first part needs it. */
  serviceOf: () => Promise<Service>;
  announce: Announce;
  undo: Undo;
  signal: AbortSignal;
};

async function measure(part: Part, bench: Bench): Promise<Section[]> {
  const { options, compose, serviceOf, announce, undo, signal } = bench;
  if (part === 'loop') {
    await providePostgres(await inspectHost(), announce);
    return loopSections(await measureLoop(options.loop, say, undo, signal));
  }
  if (part === 'guards')
    return await announce(`Sending large configurations for ${options.guards.seconds} s`, async () => [
      guardSection(await measureGuards(options.guards, signal)),
    ]);
  if (part === 'store') {
    await providePostgres(await inspectHost(), announce);
    return await announce(`Querying stores of ${options.store.deployments} deployments`, async () =>
      storeSections(await measureStores(options.store, undo, signal)),
    );
  }
  if (part === 'cli')
    return await announce(`Starting the command line, ${options.commands} times each`, async () => [
      commandSection(await measureCommandLine(options.commands, guestbook, signal)),
    ]);
  if (part === 'images')
    return await announce(`Pulling images, ${options.rounds} times each`, async () =>
      imageSections(await measureImages(options, undo, signal)),
    );
  if (part === 'certificates')
    return await announce(`Serving ${options.certificates.count} certificates`, async () => [
      certificateSection(await measureCertificates(options.certificates, undo, signal)),
    ]);
  if (part === 'renewals')
    return await announce(`Replacing certificates for ${options.renewals.seconds} s`, async () => [
      renewalSection(await measureRenewals(options.renewals, undo, signal)),
    ]);
  const yaml = await readFile(guestbook, 'utf8');
  if (part === 'sleep') {
    const sleeper = await startService({ ...options.settings, ...sleepSettings }, undo, signal);
    return await announce(`Waking up a deployment ${options.sleep.wakes} times`, async () =>
      sleepSections(await measureSleep(sleeper, { ...options.sleep, yaml, path: '/api/entries' }, signal)),
    );
  }
  const service = await serviceOf();
  switch (part) {
    case 'live': {
      const others = compose && (await composeContenders(compose, specOf(yaml), undo));
      const contenders = [berthContender(service, yaml), ...Object.values(others ?? {})];
      return timeSections(await runRounds(contenders, options, say, signal));
    }
    case 'latency':
      return await announce(`Measuring latencies, ${options.requests} requests a row`, async () => [
        latencySection(await measureLatencies(service, { ...options, validated: yaml }, signal)),
      ]);
    case 'updates': {
      const { updates } = options;
      const run = (who: string, work: () => Promise<Updates>) => announce(`${updates} updates with ${who}`, work);
      const ours = await run('Berth', () => berthUpdates(service, updates, signal));
      const theirs = compose && (await run('Compose', () => composeUpdates(compose, updates, undo, signal)));
      for (const failure of ours.visited.failures.slice(0, 10)) say(`failed: ${failure}`);
      return updateSections(ours, theirs);
    }
    case 'neighbour':
      return await announce(`Measuring during an attack, ${options.windows} times`, async () =>
        neighbourSections(await measureNeighbour(service, options, signal)),
      );
    case 'snapshots':
      return await announce(`Taking snapshots of ${options.snapshots.megabytes} MB`, async () =>
        snapshotSections(await measureSnapshots(service, options.snapshots, signal)),
      );
    case 'builds': {
      const { ours, theirs } = await measureBuilds(service, options, { say, undo, signal });
      return buildSections(ours, theirs);
    }
    case 'density':
      return [densitySection(await measureDensity(service, options.density, say, signal), options.density.idleSeconds)];
  }
}

async function composeIfPossible({ isSmoke }: Options, announce: Announce): Promise<Compose | undefined> {
  try {
    return await provideCompose(announce);
  } catch (error) {
    const reason = `There is nothing to compare with: Docker Compose cannot be had here. ${(error as Error).message}`;
    if (!isSmoke) throw new Error(reason);
    say(reason);
    return undefined;
  }
}

function specOf(yaml: string): AppSpec {
  const parsed = parseConfiguration(yaml);
  if (parsed.kind !== 'valid') throw new Error(`${guestbook} is ${parsed.kind}.`);
  return parsed.spec;
}

function describeMachine(): void {
  const [load = 0] = loadavg();
  const processors = availableParallelism();
  say(
    `${processors} processors, load ${load.toFixed(2)}${load > processors / 2 ? ': busy, trust the ratios only' : ''}`,
  );
}

/** Explains the costs that only one of the two sides has. */
async function explainCompose({ binary, version }: Compose, signal: AbortSignal): Promise<void> {
  const starts: number[] = [];
  for (let count = 0; count < 5; count++) starts.push(await timed(binary, ['version'], signal));
  say(`Compose ${version} begins as a new process each time (${Math.round(median(starts))} ms of its figures); Berth already runs.
Its containers have no limits and all of Docker's capabilities, and their files are mounted; Berth's have limits, fewer
capabilities, and copies of the files. Both make one network and one volume, and wait for nothing between their pods.
Both are polled until they respond: the page and the API get a request on a new connection 25 ms after each response.
`);
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  const undo = createUndo();
  const signal = signalOfInterruption();
  let code = 0;
  try {
    await bench(options, undo, signal);
  } catch (error) {
    // Steps that an interruption breaks off fail with errors of their own.
    if (!signal.aborted) console.error(describe(error));
    code = signal.aborted ? 130 : 1;
  }
  for (const failure of await undo.run()) {
    code ||= 1;
    console.error(`Not undone: ${failure}`);
  }
  return code;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`${describe(error)}\n\n${help}`);
  process.exit(2);
}
