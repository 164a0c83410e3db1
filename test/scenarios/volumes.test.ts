import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

/** A web server that runs `script` first; `writes` may fail. */
function yaml(image: string, size: string, script: string): string {
  return shellYaml('keeper', image, `${script}; exec busybox httpd -f -p 8080 -h /data`, [
    `{ name: data, size: ${size}, mountPath: /data }`,
  ]);
}

/** Ends with the test, also after a failure. */
async function serve(t: TestContext, settings: Record<string, string> = {}): Promise<Berth> {
  const berth = await createBerth(settings);
  t.after(() => berth.destroy());
  await berth.serve();
  return berth;
}

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };

describe('sizes of volumes', needsRoot, () => {
  let image: string;
  before(async () => {
    image = await buildImage(await connectDocker(), { name: 'contract' });
  });

  test('an update makes a volume larger and keeps what is in it, and never smaller', async (t) => {
    const berth = await serve(t);
    const script = 'test -e /data/kept || { echo kept >/data/kept; busybox dd if=/dev/zero of=/data/file bs=1M; }';
    const app = await berth.start(yaml(image, '16Mi', script));
    await berth.eventsUntil(app, /^volume data of pod web is full \(16 MiB\)/);
    await berth.reach(app, 'running');

    await berth.update(app, yaml(image, '64Mi', script));
    await berth.eventsUntil(app, /^grow-volume web-data, to 64 MiB$/);
    await berth.eventsUntil(app, /^volume data of pod web has room again/);
    await berth.reach(app, 'running');
    assert.equal((await berth.visit(`${app.url}/kept`)).text, 'kept\n');

    await berth.update(app, yaml(image, '32Mi', script));
    await berth.eventsUntil(app, /^volume data of pod web keeps its size of 64 MiB: a volume is never made smaller$/);
    await berth.reach(app, 'running');
  });

  test('where the host has no limit for volumes, a pod whose volume holds more than its size is stopped', async (t) => {
    const berth = await serve(t, { BERTH_DISK_LIMITS: 'watch' });
    const script = 'busybox dd if=/dev/zero of=/data/file bs=1M count=40';
    const app = await berth.start(yaml(image, '16Mi', script));
    const events = await berth.eventsUntil(app, /^failed: /);
    const words = /^pod web is stopped: volume data of pod web holds (\d+) MiB, and its size is 16 MiB$/;
    const stops = events.filter(({ message }) => words.test(message));
    const held = stops.flatMap(({ message, count }) => Array(count).fill(Number(words.exec(message)![1])));
    assert.equal(held.length, 3);
    // The look may happen during a write.
    for (const mebibytes of held) assert.ok(mebibytes >= 16 && mebibytes <= 40, `${held}`);
    // The same with a size that is enough.
    await berth.update(app, yaml(image, '64Mi', script));
    await until('it runs', async () => (await berth.status(app)).state === 'running' || undefined);
    assert.match((await berth.get('/metrics')).text, /^berth_disk_means\{of="volumes",means="watch"\} 1$/m);
  });
});
