/** Builds on the real engine, for tests. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { createBaseImages } from '../../src/builds/base-images.ts';
import { builderWorkload } from '../../src/builds/builder-workload.ts';
import { fetchBase } from '../../src/builds/fetch-base.ts';
import { makeImage } from '../../src/builds/make-image.ts';
import { type BuilderNeeds, startBuilder } from '../../src/builds/start-builder.ts';
import type { Build as BuildRow } from '../../src/deployment/build/build.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import { facetOf } from '../../src/engine/engine.ts';
import { runInWorkload } from '../../src/engine/run-in-workload.ts';
import type { Build, ImageToMake } from '../../src/folder/project.ts';
import { openBlobFolder } from '../../src/images/blobs/blob-folder.ts';
import { createPushedImages } from '../../src/images/pushed/pushed-image-store.ts';
import type { ExportedImage } from '../../src/push/docker/exported-image.ts';
import { dockerContractor } from '../contract/docker-contractor.ts';
import { setStage } from '../contract/engine.ts';
import { emptyStore } from '../support/empty-store.ts';

export const base = 'node:26-slim';

export type Builds = {
  /** Builds the files, among them a Dockerfile, and calls `see` with the image. */
  build(
    files: Record<string, string>,
    some?: Partial<Build>,
    see?: (image: ExportedImage) => Promise<void>,
  ): Promise<void>;
  /** The output of all builds. */
  output(): string;
  /** Runs a script in a builder that has this base image, outside of any step. Returns what it writes. */
  inBuilder(image: string, script: string): Promise<string>;
};

/** Within a `describe`. Returns a function for the builds of a new deployment. All deployments share base images. */
export function setBuildStage() {
  const { contractor, newScene } = setStage(dockerContractor);
  let place: string;
  let shared: Pick<BuilderNeeds, 'db' | 'images' | 'bases'>;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'berth-builds-'));
    const db = await emptyStore();
    const images = createPushedImages(db, await openBlobFolder(join(place, 'pushed')), Date.now);
    shared = { db, images, bases: createBaseImages(join(place, 'bases'), 2 ** 33) };
  });
  after(() => rm(place, { recursive: true }));

  return function newBuilds({ volumeBytes = 2 ** 31 } = {}): Builds {
    const { engine } = contractor();
    const { id: deploymentId } = newScene();
    const parts: BuilderNeeds = {
      ...shared,
      engine,
      volumeBytes,
      sources: { place },
      limits: { memoryBytes: 2 ** 30, cpuMillis: 2000 },
      egressOf: async () => openEgress,
      runtimeOf: async () => undefined,
      now: Date.now,
    };
    const { signal: stop } = new AbortController();
    let output = '';
    let revision = 0;

    async function build(
      files: Record<string, string>,
      some: Partial<Build> = {},
      see = async (_: ExportedImage) => {},
    ) {
      revision += 1;
      const source = `${deploymentId}-${revision}`;
      const context = join(place, source, 'app');
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(context, name)), { recursive: true });
        await writeFile(join(context, name), content);
      }
      const image: ImageToMake = {
        name: './web:1',
        services: ['web'],
        base: { kind: 'build', build: { ...emptyBuild, context, ...some } },
        layers: [],
        at: { file: 'Dockerfile', line: 1, column: 1 },
      };
      await using builder = await startBuilder(parts, {
        build: { deploymentId, revision, source } as BuildRow,
        deployment: { id: deploymentId } as Deployment,
        images: [image],
        onImage() {},
        onOutput: (text) => {
          output += text;
        },
        stop,
        leftMs: () => 600_000,
      });
      const openImage = async () => await Promise.reject(new Error('not of a build'));
      await makeImage({ folder: join(place, source), openImage, builder }, image, see);
    }

    async function inBuilder(image: string, script: string): Promise<string> {
      await build({ Dockerfile: `FROM ${image}\nRUN true` });
      revision += 1;
      const { id } = await fetchBase(parts, { deploymentId, image, stop });
      const { folder } = await shared.bases.provide(id, () => Promise.reject(new Error('it is there')));
      const workload = builderWorkload(deploymentId, revision, { limits: parts.limits, bases: [folder] });
      await engine.execute(deploymentId, { kind: 'start', workload, because: 'test' });
      const pieces: Uint8Array[] = [];
      const take = (piece: Uint8Array) => void pieces.push(piece);
      await runInWorkload(
        { what: 'the script', command: ['sh', '-c', script] },
        {
          ...{ exec: facetOf(engine, 'exec'), workload: workload.name, take, takeError: take, stop },
          ...{ maxBytes: 2 ** 20, withinMs: 600_000, fault: (message: string) => new Error(message) },
        },
      );
      return Buffer.concat(pieces).toString('utf8');
    }

    return { build, output: () => output, inBuilder };
  };
}

const emptyBuild: Omit<Build, 'context'> = {
  isRemote: false,
  args: {},
  secrets: [],
  ssh: [],
  platforms: [],
  additionalContexts: {},
  extraHosts: [],
  noCache: false,
  pull: false,
  labels: {},
};
