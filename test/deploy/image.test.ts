/** The image of Berth, as `npm run image` builds it: what it runs as, and that it serves where it may write little. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { provideBerthImage } from '../../scripts/image.ts';
import { run } from '../../scripts/setup/commands.ts';

const docker = new Docker();
const name = `berth-test-image:${randomBytes(6).toString('hex')}`;
let folder: string;
let archive: string;
let container: Docker.Container | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-image-test-'));
  archive = join(folder, 'berth.tar');
  await provideBerthImage({ name, save: archive });
});
after(async () => {
  await container?.remove({ force: true });
  await docker
    .getImage(name)
    .remove()
    .catch(() => {});
  await rm(folder, { recursive: true });
});

test('the image runs as another user than root, and has nothing in it that only tests or builds need', async () => {
  const { Config } = await docker.getImage(name).inspect();
  assert.equal(Config.User, '1000:1000');
  const layer = await run(['tar', '--extract', '--to-stdout', `--file=${archive}`, 'manifest.json']);
  const [{ Layers: layers, RepoTags: tags }] = JSON.parse(layer) as [{ Layers: string[]; RepoTags: string[] }];
  assert.deepEqual(tags, [name]);
  assert.equal(layers.length, 1);
  await run(['tar', '--extract', `--file=${archive}`, `--directory=${folder}`, layers[0]!]);
  const files = (await run(['tar', '--list', `--file=${join(folder, layers[0]!)}`])).split('\n');
  for (const wanted of [
    'usr/sbin/haproxy',
    'opt/berth/src/main.ts',
    'opt/berth/web/dist/index.html',
    'opt/berth/site/dist/index.html',
  ])
    assert.ok(files.includes(`./${wanted}`), wanted);
  const unwanted =
    /opt\/berth\/(src\/.*\.test\.ts$|node_modules\/((typescript|playwright-core|@biomejs|vite)\/|.*\.d\.ts$))/;
  assert.deepEqual(
    files.filter((file) => unwanted.test(file)),
    [],
  );
});

test('it serves with a read-only root file system, without a capability, and stops at a signal', async () => {
  container = await docker.createContainer({
    Image: name,
    Env: ['BERTH_ENGINE=memory'],
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Tmpfs: { '/tmp': '', '/var/lib/berth': 'uid=1000,gid=1000' },
      PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1' }] },
    },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const [binding] = NetworkSettings.Ports['8080/tcp']!;
  const answer = await untilAnswered(`http://127.0.0.1:${binding!.HostPort}/healthz`);
  assert.equal(((await answer.json()) as { status: string }).status, 'ok');
  await container.stop({ t: 300 });
  const { State } = await container.inspect();
  assert.equal(State.ExitCode, 0);
});

async function untilAnswered(url: string): Promise<Response> {
  const deadline = AbortSignal.timeout(300_000);
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.ok) return answer;
    const { State } = await container!.inspect();
    assert.ok(
      State.Running && !deadline.aborted,
      `it does not answer: ${await container!.logs({ stdout: true, stderr: true })}`,
    );
    await delay(100);
  }
}
