/** Images built in a builder workload on the real engine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { BuildFault } from '../../src/builds/build-fault.ts';
import { diffIdsOf } from '../../src/push/image-documents.ts';
import { base, setBuildStage } from './build-stage.ts';

const run = promisify(execFile);

describe('the builder', () => {
  const newBuilds = setBuildStage();

  test('returns an image with the layers of its base and those of its steps', async () => {
    const { build, output } = newBuilds();
    const { RootFS, Config } = await new Docker().getImage(base).inspect();
    const lines = [
      'ARG FROM_HERE',
      'FROM ${FROM_HERE}',
      'ARG GREETING',
      'RUN --mount=type=secret,id=key sha256sum /run/secrets/key > /sum && node -p "1+1"',
      'COPY app.txt /app.txt',
      'RUN echo "$GREETING" > /greeting',
      'HEALTHCHECK CMD node --version',
    ];
    const some = {
      args: { GREETING: "it's $HOME", FROM_HERE: base },
      secrets: [{ id: 'key', value: 'hidden words' }],
    };
    await build({ Dockerfile: lines.join('\n'), 'app.txt': 'hello' }, some, async ({ config, layers }) => {
      assert.doesNotMatch(config.toString('utf8'), /hidden words/);
      assert.match(config.toString('utf8'), /"Healthcheck"/);
      const baseLayers = RootFS!.Layers!;
      assert.deepEqual(diffIdsOf(config).slice(0, baseLayers.length), baseLayers);
      assert.deepEqual([layers.length, diffIdsOf(config).length], [baseLayers.length + 3, baseLayers.length + 3]);
      const { stdout: greeting } = await run('tar', ['-xzO', '-f', layers.at(-1)!.file, 'greeting']);
      assert.equal(greeting, "it's $HOME\n");
      assert.equal(JSON.parse(config.toString('utf8')).config.Env[0], Config.Env![0]);
    });
    assert.match(output(), /STEP 2\/6/);
    assert.doesNotMatch(output(), /hidden words/);
  });

  test('copies files from other stages and from other images', async () => {
    const { build } = newBuilds();
    const lines = [
      `FROM ${base} AS first`,
      'RUN echo made > /made',
      'FROM redis:7',
      'COPY --from=first /made /made',
      `COPY --from=${base} /etc/os-release /from-node`,
    ];
    await build({ Dockerfile: lines.join('\n') }, {}, async ({ config, layers }) => {
      const { RootFS } = await new Docker().getImage('redis:7').inspect();
      assert.deepEqual(diffIdsOf(config).slice(0, -2), RootFS!.Layers);
      assert.ok(layers.at(-1)!.sizeBytes < 100_000);
    });
  });

  test('a second build of the deployment uses the layers of the first one', async () => {
    const { build, output } = newBuilds();
    const dockerfile = `FROM ${base}\nRUN node -p "1+1" > /made\nCOPY app.txt /`;
    await build({ Dockerfile: dockerfile, 'app.txt': 'one' });
    await build({ Dockerfile: dockerfile, 'app.txt': 'two' });
    assert.match(output(), /Using cache/);
  });

  test('replaces the builder of an earlier revision that another control plane has left', async () => {
    const { build, inBuilder, output } = newBuilds();
    await inBuilder(base, 'true');
    await build({ Dockerfile: `FROM ${base}\nRUN echo alone` });
    assert.match(output(), /^alone$/m);
  });

  test('a step that fails is a fault with its output', async () => {
    const { build, output } = newBuilds();
    await assert.rejects(build({ Dockerfile: `FROM ${base}\nRUN echo some words && exit 7` }), BuildFault);
    assert.match(output(), /some words/);
    assert.match(output(), /exit status 7/);
  });
});
