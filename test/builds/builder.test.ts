/** Images built in a builder workload on the real engine. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BuildFault } from '../../src/builds/build-fault.ts';
import { readSavedImage } from '../../src/push/docker/exported-image.ts';
import { base, contextOf, noBuild, setBuildStage } from './build-stage.ts';

describe('the builder', () => {
  const startBuilder = setBuildStage();

  test('builds on an image of the host and returns it whole', async () => {
    const { builder, exported, build, output } = await startBuilder();
    assert.equal(await builder.idOf(base), exported.id);
    assert.equal(await builder.idOf('acme/missing:1'), undefined);
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
