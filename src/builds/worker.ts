/** Works on the builds of this process, several at a time. The store holds the complete state of a build. */
import { readPushedReference } from '../config/values/pushed-image.ts';
import { type Build, maxBuildTries } from '../deployment/build/build.ts';
import { describeBuildStep } from '../deployment/build/build-steps.ts';
import { type Deployment, isActive } from '../deployment/deployment.ts';
import type { EventOf } from '../deployment/event/event.ts';
import type { ResolvedImage } from '../deployment/plan/operation.ts';
import { EngineFault } from '../engine/engine.ts';
import type { ImageToMake } from '../folder/project.ts';
import { QuotaFault } from '../images/pushed/pushed-image-store.ts';
import { runRounds } from '../lib/rounds.ts';
import { withoutColors } from '../lib/terminal-colors.ts';
import { PushFault } from '../push/push-fault.ts';
import {
  type BuildFailure,
  builtBefore,
  explainBuild,
  imagesToBuild,
  openBuilds,
  recordBuildFailure,
  recordBuildLog,
  recordBuildStart,
  recordBuildSuccess,
} from '../store/builds.ts';
import type { Database } from '../store/database.ts';
import { deploymentById } from '../store/deployments.ts';
import { addEvents } from '../store/events.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { clientOf } from '../store/origins.ts';
import { findPushedManifest } from '../store/pushed-images.ts';
import { settleImage } from '../store/revisions.ts';
import { write } from '../store/transaction.ts';
import { BuildFault } from './build-fault.ts';
import { type BuildLog, imageMark, openBuildLog } from './build-log.ts';
import type { BuildParts } from './build-parts.ts';
import { buildRevision } from './build-revision.ts';
import { explainFailure } from './explain-failure.ts';
import { removeBuildCache, removeBuilder } from './start-builder.ts';

/** How often the output is stored, and the build is checked for being superseded. */
const recordEveryMs = 1_000;
/** The same while the store fails. */
const longestNoteMs = 5_000;

/** Messages of programs when the volume of the builder is full. */
const isFull = /no space left on device|input\/output error|: I\/O error/i;

export type BuildWorker = {
  /** Starts as many builds as there are free places. */
  wake(): Promise<void>;
  /** Resolves when all running builds have ended. */
  ended(): Promise<void>;
};

/**
 * `places`: the maximum number of concurrent builds. Each client has one at a time. `stop`: the next process restarts
 * unfinished builds.
 */
export function createBuildWorker(parts: BuildParts, places: number, stop: AbortSignal): BuildWorker {
  const { db, log, sources } = parts;
  const running = new Map<string, { client: string; ended: Promise<void> }>();

  function begin(build: Build, client: string): void {
    const key = keyOf(build);
    const ended = workOn(build)
      .catch((err: unknown) => {
        if (!stop.aborted) log.error({ deployment: build.deploymentId, err }, 'a build was interrupted; retrying');
      })
      .finally(() => {
        running.delete(key);
        if (!stop.aborted)
          void wake().catch((err: unknown) => log.error({ err }, 'builds could not be read; retrying'));
      });
    running.set(key, { client, ended });
  }

  async function wake(): Promise<void> {
    const open = await openBuilds(db, sources.place);
    await sources.removeOthers(new Set(open.map(({ source }) => source)));
    for (const build of open) {
      if (stop.aborted || running.size >= places) return;
      if (running.has(keyOf(build))) continue;
      const client = (await clientOf(db, build.deploymentId)) ?? build.deploymentId;
      // Another call may have started it while this one was waiting.
      if (stop.aborted || running.size >= places || running.has(keyOf(build))) continue;
      if ([...running.values()].some((each) => each.client === client)) continue;
      begin(build, client);
    }
  }

  async function workOn(build: Build): Promise<void> {
    const deployment = await wantedBy(parts, build);
    // The builder of a process that was killed.
    if (build.tries > 0) await removeBuilder(parts, build);
    if (!deployment) return await end(build, superseded);
    if (build.tries >= maxBuildTries) {
      const problem = `the service ended ${build.tries} times before the build was complete`;
      return await end(build, { problem, hint: 'Send the source again.', pods: [], lastLines: [] });
    }
    if (!(await recordBuildStart(db, build, parts.now()))) return;
    await workOnBegun(build, deployment);
  }

  async function workOnBegun(build: Build, deployment: Deployment): Promise<void> {
    const images = (await imagesToBuild(db, parts.seal, build)) as ImageToMake[];
    if (await reuseImages(build, images)) return;
    const output = openBuildLog(images.flatMap(secretsOf));
    const begunAt = performance.now();
    const unwanted = new AbortController();
    const over = AbortSignal.any([stop, unwanted.signal]);
    let current: ImageToMake | undefined;
    const event = (fields: EventOf<'build'>) => addEvent(parts, build, fields);
    await event({ kind: 'build', build: 'begun', revision: build.revision, images: images.map(({ name }) => name) });
    const note = progressWriter(build, output, () => current?.name);
    const watching = runRounds({
      name: 'build-progress',
      everyMs: recordEveryMs,
      longestMs: longestNoteMs,
      work: async () => {
        await note();
        if (!(await wantedBy(parts, build))) unwanted.abort();
      },
      onFault: (err) => log.error({ deployment: build.deploymentId, err }, 'the progress of a build was not stored'),
    });
    let failure: BuildFailure | undefined;
    try {
      await buildRevision(parts, {
        build,
        deployment,
        images,
        onOutput: (text) => output.add(text),
        stop: over,
        onImage: (image) => {
          if (current !== image) output.add(`${imageMark}${image.name}\n`);
          current = image;
        },
        onImageDone: async (image, ms) =>
          await event({
            kind: 'build',
            build: 'image',
            revision: build.revision,
            image: image.name,
            seconds: secondsOf(ms),
          }),
      });
    } catch (error) {
      if (stop.aborted) throw error;
      // The build of a newer revision, by another process, removes this builder.
      if (unwanted.signal.aborted || !(await wantedBy(parts, build))) return await end(build, superseded);
      failure = failureOf(error, output, current);
      const because = failure.problem;
      // Output of the build may contain secrets, and is part of the causes of its faults.
      const isKnown = error instanceof BuildFault || error instanceof PushFault || error instanceof EngineFault;
      log.info({ deployment: build.deploymentId, because, ...(!isKnown && { err: error }) }, 'a build has failed');
      await event({
        kind: 'build',
        build: 'failed',
        revision: build.revision,
        because,
        ...(current && { image: current.name }),
      });
    } finally {
      await watching[Symbol.asyncDispose]();
    }
    if (!failure) output.end();
    await recordBuildLog(db, build, output.text());
    if (failure && isFull.test(output.text())) await removeBuildCache(parts, build);
    if (!failure) {
      const seconds = secondsOf(performance.now() - begunAt);
      await event({ kind: 'build', build: 'done', revision: build.revision, seconds });
    }
    await end(build, failure);
  }

  /** Ends the build of a source that has not changed since an earlier build of the deployment. */
  async function reuseImages(build: Build, images: readonly ImageToMake[]): Promise<boolean> {
    const { deploymentId, revision } = build;
    const before = await builtBefore(
      db,
      build,
      images.map(({ name }) => name),
    );
    if (!before || !(await areStored(db, before.images))) return false;
    await write(db, { deploymentId }, async (db) => {
      for (const image of before.images) await settleImage(db, deploymentId, revision, image);
    });
    const words = `The source is the same as in revision ${before.revision}. Its images are used again.\n`;
    await recordBuildLog(db, build, words);
    await addEvent(parts, build, { kind: 'build', build: 'done', revision, seconds: 0 });
    await end(build, undefined);
    return true;
  }

  async function end(build: Build, failure: BuildFailure | undefined): Promise<void> {
    const { deploymentId } = build;
    await write(db, { deploymentId }, async (db) => {
      await (failure
        ? recordBuildFailure(db, build, failure, parts.now())
        : recordBuildSuccess(db, build, parts.now()));
      await makeDue(db, deploymentId, atOnce(parts.now()));
    });
    parts.wake(deploymentId);
    await sources.remove(build.source);
  }

  /** Returns a function that stores new output, and shows the step in the status of the deployment. */
  function progressWriter(build: Build, output: BuildLog, image: () => string | undefined): () => Promise<void> {
    let noted = '';
    return async () => {
      const text = output.text();
      if (text === noted) return;
      await recordBuildLog(db, build, text);
      const step = output.step();
      const explanation = {
        kind: 'building',
        image: image() ?? 'the images',
        step: step ? describeBuildStep(step) : null,
      } as const;
      const lastLines = withoutColors(text).trimEnd().split('\n').slice(-5);
      const progress = step ? Math.round((step.step / step.of) * 40) : 0;
      await explainBuild(db, build, { explanation, lastLines, progress });
      noted = text;
    };
  }

  return {
    wake,
    async ended() {
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

async function areStored(db: Database, images: readonly ResolvedImage[]): Promise<boolean> {
  for (const { reference } of images) {
    const pushed = readPushedReference(reference);
    if (!pushed || !(await findPushedManifest(db, pushed.repository, pushed))) return false;
  }
  return true;
}

const superseded: BuildFailure = {
  problem: 'the deployment has ended, or has a newer revision',
  hint: undefined,
  pods: [],
  lastLines: [],
};

function keyOf({ deploymentId, revision }: Build): string {
  return `${deploymentId} ${revision}`;
}

/** Returns the deployment, if it still needs the revision of the build. */
async function wantedBy({ db, now }: BuildParts, build: Build): Promise<Deployment | undefined> {
  const deployment = await deploymentById(db, build.deploymentId);
  const isWanted =
    deployment &&
    isActive(deployment, now()) &&
    deployment.revision === build.revision &&
    deployment.state === 'deploying';
  return isWanted ? deployment : undefined;
}

async function addEvent({ db, now }: BuildParts, { deploymentId }: Build, event: EventOf<'build'>): Promise<void> {
  await write(db, { deploymentId }, async (db) => await addEvents(db, deploymentId, [{ at: now(), event }]));
}

function secretsOf({ base }: ImageToMake): string[] {
  if (base.kind !== 'build') return [];
  return base.build.secrets.flatMap((secret) => ('value' in secret ? [secret.value] : []));
}

const quotaHint = 'Remove deployments that are not needed, wait until their images are removed, and build again.';

/** Returns the failure with a message for the owner. */
function failureOf(error: unknown, output: BuildLog, image: ImageToMake | undefined): BuildFailure {
  const pods = image?.services ?? [];
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : '';
  const { because, hint, lastLines } = explainFailure(withoutColors(output.text()), message);
  if (error instanceof BuildFault && error.hint === undefined) return { problem: because, hint, pods, lastLines };
  if (error instanceof BuildFault || error instanceof PushFault || error instanceof EngineFault)
    return { problem: message, hint: error.hint, pods, lastLines };
  if (error instanceof QuotaFault)
    return { problem: `the image cannot be stored: ${message}`, hint: quotaHint, pods, lastLines: [] };
  return { problem: 'the service could not complete the build', hint: 'Try again.', pods, lastLines: [] };
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1000);
}
