/** A real engine that has lost an image, whose layers are kept here. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { verifiedName } from '../../src/engine/images/verified-names.ts';
import { openBlobCache } from '../../src/images/blobs/blob-cache.ts';
import { newId } from '../../src/lib/ids.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import { networkPool } from './docker-contractor.ts';
import { startRegistry } from './registry.ts';

test('an engine that has lost an image gets what is kept of it, and what is damaged of that from its registry', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-kept-'));
  t.after(() => rm(folder, { recursive: true }));
  const docker = await connectDocker();
  const { Arch: architecture } = await docker.version();
  const registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: false });
  t.after(() => registry.close());
  t.after(() => removeBrought(docker, registry.host));
  const image = `${registry.host}/good:1`;

  /** Like a service that has just started; returns how often a layer was requested. */
  async function pull(): Promise<{ id: string; served: number }> {
    await removeBrought(docker, registry.host);
    const before = registry.layersServed();
    const cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
    await using opened = await openTestImages([registry.host], {}, { cache });
    const engine = createDockerEngine({ docker, owner: `test-${newId()}`, networkPool, images: opened.images });
    await engine.images.pull('x', { image });
    const { Id: id } = await docker.getImage(verifiedName(image)!).inspect();
    return { id, served: registry.layersServed() - before };
  }

  const { id, served } = await pull();
  assert.ok(served > 0);
  assert.deepEqual(await pull(), { id, served: 0 });

  const kept = join(folder, 'sha256');
  const sizes = await Promise.all(
    (await readdir(kept)).map(async (name) => ({ name, size: (await stat(join(kept, name))).size })),
  );
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  // As a loss of power leaves it: as long as before, and something else.
  await writeFile(join(kept, largest!.name), Buffer.alloc(100_000, 'x'), { flag: 'r+' });
  assert.deepEqual(await pull(), { id, served: 1 });
  assert.deepEqual(await pull(), { id, served: 0 });
});
