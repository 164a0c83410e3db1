/** Builds of images from source, with their state, output and result. */
import type { Build } from '../deployment/build/build.ts';
import type { Instant } from '../deployment/deployment.ts';
import type { ResolvedImage } from '../deployment/plan/operation.ts';
import type { Explanation } from '../deployment/status/reason.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import { settledImages } from './revisions.ts';

/** `pods` and `lastLines` are JSON. */
export type BuildRow = Omit<Build, 'pods' | 'lastLines'> & {
  /** A digest of the files of the source. */
  content: string;
  /** The folder of all sources of the process that has received it. */
  place: string;
  /** Sealed: what is built, as JSON. */
  images: Uint8Array;
  log: string;
  pods: string;
  lastLines: string;
};

/** Without the output and the images, which may be large. */
const facts = [
  ...(['deploymentId', 'revision', 'state', 'source', 'tries', 'createdAt', 'startedAt', 'endedAt'] as const),
  ...(['problem', 'hint', 'pods', 'lastLines'] as const),
] satisfies (keyof BuildRow)[];

export type NewBuild = Pick<Build, 'deploymentId' | 'revision' | 'source' | 'createdAt'> & {
  /** A digest of the files of the source. */
  content: string;
  /** The folder of all sources of this process. */
  place: string;
  /** The images to build, as plain data. */
  images: unknown;
};

/** Call it in the transaction that adds the revision. */
export async function addBuild(db: Database, seal: Seal, { images, ...build }: NewBuild): Promise<void> {
  await db
    .insertInto('builds')
    .values({
      ...build,
      state: 'asked',
      images: seal.close(JSON.stringify(images)),
      log: '',
      tries: 0,
      startedAt: null,
      endedAt: null,
      problem: null,
      hint: null,
      pods: '[]',
      lastLines: '[]',
    })
    .execute();
}

/** Undefined for a revision without anything to build. */
export async function buildOf(db: Database, deploymentId: string, revision: number): Promise<Build | undefined> {
  const row = await oneBuild(db, deploymentId, revision).select(facts).executeTakeFirst();
  return row && buildFrom(row);
}

/** The output of a build so far, and its state; undefined for a revision without a build. */
export async function buildLogOf(
  db: Database,
  deploymentId: string,
  revision: number,
): Promise<Pick<BuildRow, 'log' | 'state'> | undefined> {
  return await oneBuild(db, deploymentId, revision).select(['log', 'state']).executeTakeFirst();
}

function oneBuild(db: Database, deploymentId: string, revision: number) {
  return db.selectFrom('builds').where('deploymentId', '=', deploymentId).where('revision', '=', revision);
}

/** Returns unfinished builds whose source is in `place`, oldest first. */
export async function openBuilds(db: Database, place: string): Promise<Build[]> {
  const rows = await db
    .selectFrom('builds')
    .select(facts)
    .where('place', '=', place)
    .where('state', 'in', ['asked', 'building'])
    .orderBy('createdAt')
    .orderBy('deploymentId')
    .execute();
  return rows.map(buildFrom);
}

/** Returns the images to build, as passed to `addBuild`. Throws if they were sealed with another key. */
export async function imagesToBuild(db: Database, seal: Seal, build: Build): Promise<unknown> {
  const { images } = await oneBuild(db, build.deploymentId, build.revision).select('images').executeTakeFirstOrThrow();
  return JSON.parse(seal.open(images));
}

/** As `builtFromContent`, for the files of this build. */
export async function builtBefore(
  db: Database,
  { deploymentId, revision }: Build,
  images: readonly string[],
): ReturnType<typeof builtFromContent> {
  const { content } = await oneBuild(db, deploymentId, revision).select('content').executeTakeFirstOrThrow();
  return await builtFromContent(db, { deploymentId, content }, images);
}

/** The images of the newest build of the deployment from the same files, as the revision that was built runs from them. */
export async function builtFromContent(
  db: Database,
  { deploymentId, content }: Pick<BuildRow, 'deploymentId' | 'content'>,
  images: readonly string[],
): Promise<{ revision: number; images: ResolvedImage[] } | undefined> {
  const earlier = await db
    .selectFrom('builds')
    .select('revision')
    .where('deploymentId', '=', deploymentId)
    .where('content', '=', content)
    .where('state', '=', 'built')
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!earlier) return undefined;
  const settled = await settledImages(db, deploymentId, earlier.revision);
  const found = images.flatMap((image) => {
    const reference = settled[image];
    return reference === undefined ? [] : [{ image, reference, by: 'registry' as const }];
  });
  return found.length === images.length ? { revision: earlier.revision, images: found } : undefined;
}

/** False where the build has ended, for example with its deployment. */
export async function recordBuildStart(db: Database, build: Build, now: Instant): Promise<boolean> {
  const result = await ofOpen(db, build)
    .set({ state: 'building', tries: build.tries + 1, startedAt: now, log: '' })
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Replaces the output of a build that has not ended. */
export async function recordBuildLog(db: Database, build: Build, log: string): Promise<void> {
  await ofOpen(db, build).set({ log }).execute();
}

export async function recordBuildSuccess(db: Database, build: Build, now: Instant): Promise<void> {
  await ofOpen(db, build).set({ state: 'built', endedAt: now }).execute();
}

export type BuildFailure = {
  problem: string;
  hint: string | undefined;
  pods: readonly string[];
  lastLines: readonly string[];
};

export async function recordBuildFailure(
  db: Database,
  build: Build,
  { problem, hint, pods, lastLines }: BuildFailure,
  now: Instant,
): Promise<void> {
  const failed = {
    state: 'failed',
    problem,
    hint: hint ?? null,
    pods: JSON.stringify(pods),
    lastLines: JSON.stringify(lastLines),
    endedAt: now,
  } as const;
  await ofOpen(db, build).set(failed).execute();
}

function ofOpen(db: Database, { deploymentId, revision }: Build) {
  return db
    .updateTable('builds')
    .where('deploymentId', '=', deploymentId)
    .where('revision', '=', revision)
    .where('state', 'in', ['asked', 'building']);
}

/** Sets a deployment's message about its build, while the build's revision is the one that is being deployed. */
export async function explainBuild(
  db: Database,
  { deploymentId, revision }: Build,
  reported: { explanation: Explanation; lastLines: readonly string[]; progress: number },
): Promise<void> {
  await db
    .updateTable('deployments')
    .set({
      explanation: JSON.stringify(reported.explanation),
      lastLines: JSON.stringify(reported.lastLines),
      progress: reported.progress,
    })
    .where('id', '=', deploymentId)
    .where('revision', '=', revision)
    .where('state', '=', 'deploying')
    .execute();
}

function buildFrom({ pods, lastLines, ...build }: Pick<BuildRow, keyof Build>): Build {
  return { ...build, pods: JSON.parse(pods), lastLines: JSON.parse(lastLines) };
}
