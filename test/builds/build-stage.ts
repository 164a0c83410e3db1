/** A builder on the real engine, with a base image, for tests. */
import assert from 'node:assert/strict';
import { pack } from 'tar-stream';
import { type BuildRequest, createBuilder } from '../../src/builds/builder.ts';
import { builderWorkload } from '../../src/builds/builder-workload.ts';
import { buildVolume } from '../../src/deployment/build/build-volume.ts';
import { facetOf } from '../../src/engine/engine.ts';
import { dockerContractor } from '../contract/docker-contractor.ts';
import { setStage } from '../contract/engine.ts';

export const base = 'node:26-slim';
export const noBuild = { args: {}, secrets: [], labels: {} };

export function contextOf(files: Record<string, string>): AsyncIterable<Uint8Array> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.finalize();
  return tar as AsyncIterable<Uint8Array>;
}

/** Within a `describe`. Returns a function that starts a builder with the base image. */
export function setBuildStage() {
  const { contractor, newScene } = setStage(dockerContractor);
  return async function startBuilder({ volumeBytes = 2 ** 31 } = {}) {
    const { engine } = contractor();
    const { id: deploymentId } = newScene();
    const because = 'test';
    const limits = { memoryBytes: 2 ** 30, cpuMillis: 2000 };
    const workload = builderWorkload(deploymentId, 1, { limits });
    await engine.execute(deploymentId, { kind: 'create-network', because });
    await engine.execute(deploymentId, { kind: 'create-volume', volume: buildVolume, sizeBytes: volumeBytes, because });
    await engine.execute(deploymentId, { kind: 'start', workload, because });
    const stop = new AbortController().signal;
    const exec = facetOf(engine, 'exec');
    const builder = createBuilder({ exec, workload: workload.name, stop, leftMs: () => 600_000 });
    const exported = await facetOf(engine, 'images').export(base);
    assert.ok(exported);
    await builder.load(base, await exported.open());
    let output = '';
    const build = (request: Omit<BuildRequest, 'tag' | 'dockerfile'>) =>
      builder.build({ tag: 'made:1', dockerfile: 'Dockerfile', ...request }, (text) => {
        output += text;
      });
    return { builder, exported, build, output: () => output };
  };
}
