/** Images built in a builder workload on the real engine. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pack } from 'tar-stream';
import { BuildFault } from '../../src/builds/build-fault.ts';
import { type BuildRequest, createBuilder } from '../../src/builds/builder.ts';
import { builderWorkload } from '../../src/builds/builder-workload.ts';
import { buildVolume } from '../../src/deployment/build/build-volume.ts';
import { facetOf } from '../../src/engine/engine.ts';
import { readSavedImage } from '../../src/push/docker/exported-image.ts';
import { dockerContractor } from '../contract/docker-contractor.ts';
import { setStage } from '../contract/engine.ts';

const base = 'node:26-slim';
const noBuild = { args: {}, secrets: [], labels: {} };

function contextOf(files: Record<string, string>): AsyncIterable<Uint8Array> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.finalize();
  return tar as AsyncIterable<Uint8Array>;
}

describe('the builder', () => {
  const { contractor, newScene } = setStage(dockerContractor);

  async function startBuilder() {
    const { engine } = contractor();
    const { id: deploymentId } = newScene();
    const because = 'test';
    const limits = { memoryBytes: 2 ** 30, cpuMillis: 2000 };
    const workload = builderWorkload(deploymentId, 1, { limits });
    await engine.execute(deploymentId, { kind: 'create-network', because });
    await engine.execute(deploymentId, { kind: 'create-volume', volume: buildVolume, sizeBytes: 2 ** 31, because });
    await engine.execute(deploymentId, { kind: 'start', workload, because });
    const stop = new AbortController().signal;
    const builder = createBuilder({
      exec: facetOf(engine, 'exec'),
      workload: workload.name,
      stop,
      leftMs: () => 600_000,
    });
    const exported = await facetOf(engine, 'images').export(base);
    assert.ok(exported);
    await builder.load(base, await exported.open());
    let output = '';
    const build = (request: Omit<BuildRequest, 'tag' | 'dockerfile'>) =>
      builder.build({ tag: 'made:1', dockerfile: 'Dockerfile', ...request }, (text) => {
        output += text;
      });
    return { builder, exported, build, output: () => output };
  }

  test('builds on an image of the host and returns it whole', async () => {
    const { builder, exported, build, output } = await startBuilder();
    assert.equal(`sha256:${await builder.idOf(base)}`.replace('sha256:sha256:', 'sha256:'), exported.id);
    assert.equal(await builder.idOf('nobody/knows:1'), undefined);
    const lines = [
      `FROM ${base}`,
      'ARG GREETING',
      'RUN --mount=type=secret,id=key sha256sum /run/secrets/key > /sum && node -p "1+1"',
      'COPY app.txt /app.txt',
      'RUN echo "$GREETING" > /greeting',
      'HEALTHCHECK CMD node --version',
    ];
    await build({
      build: { ...noBuild, args: { GREETING: "it's $HOME" }, secrets: [{ id: 'key', value: 'hidden words' }] },
      context: contextOf({ Dockerfile: lines.join('\n'), 'app.txt': 'hello' }),
    });
    assert.match(output(), /STEP 2\/6/);
    assert.doesNotMatch(output(), /hidden words/);
    const folder = await mkdtemp(join(tmpdir(), 'berth-built-'));
    try {
      const image = await builder.save('made:1', (saved) => readSavedImage(saved, folder));
      const config = image.config.toString('utf8');
      assert.doesNotMatch(config, /hidden words/);
      assert.match(config, /"Healthcheck"/);
      assert.ok(image.layers.length >= 4, `${image.layers.length} layers`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a step that fails is a fault with its output', async () => {
    const { build, output } = await startBuilder();
    const context = contextOf({ Dockerfile: `FROM ${base}\nRUN echo some words && exit 7` });
    await assert.rejects(build({ build: noBuild, context }), BuildFault);
    assert.match(output(), /some words/);
    assert.match(output(), /exit status 7/);
  });
});
