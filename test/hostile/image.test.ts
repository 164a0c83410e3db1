/** Container settings in a user's image, tested through the API on the machine's engine. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Docker from 'dockerode';
import { labelKeys } from '../../src/engine/labels.ts';
import { buildImage } from '../contract/image.ts';
import { type Berth, createBerth, type Started } from '../scenarios/berth.ts';

/** For other software at the engine's socket, and in our own words. */
const planted = {
  'traefik.enable': 'true',
  'traefik.http.routers.bank.rule': 'Host(`bank.example`)',
  'com.docker.compose.project': 'another',
  [labelKeys.stopSeconds]: '100000000',
  [labelKeys.volume]: 'db',
};

const labels = Object.entries(planted).map(([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`);
const check = 'HEALTHCHECK --interval=1ms --timeout=1h --start-period=1h --retries=1000000 CMD echo ran >> /tmp/ran';

describe("a stranger's image", () => {
  const docker = new Docker();
  let berth: Berth;
  let image: string;
  let started: Started;
  before(async () => {
    image = await buildImage(docker, { name: 'planted', changes: [...labels, check] });
    berth = await createBerth();
    await berth.serve();
    started = await berth.start(yamlOf('planted', image));
    await berth.reach(started, 'running');
  });
  after(() => berth?.destroy());

  const inspect = async (pod: string) => {
    const { id } = await berth.row(started);
    return await docker.getContainer(`berth-${id}-${pod}-1-0`).inspect();
  };

  test('labels none of its containers: what it plants is empty there, and only ours say something', async () => {
    for (const pod of ['web', 'worker']) {
      const { Labels } = (await inspect(pod)).Config;
      for (const key of Object.keys(planted)) assert.equal(Labels[key], '', `${pod}: ${key}`);
      const ours = new Set<string>(Object.values(labelKeys));
      const said = Object.entries(Labels).filter(([key, value]) => value !== '' && !ours.has(key));
      assert.deepEqual(said, []);
    }
  });

  test('has no health check run where a port decides', async () => {
    const { Config, State } = await inspect('web');
    assert.deepEqual(Config.Healthcheck?.Test, ['NONE']);
    assert.equal(State.Health, undefined);
  });

  test('has its health check run at our pace, and given up at ours, where nothing else decides', async () => {
    const { Healthcheck } = (await inspect('worker')).Config;
    const { Interval = 0, Timeout = 0, Retries = 0, Test = [] } = Healthcheck!;
    assert.equal(Test[0], 'CMD-SHELL');
    assert.ok(Interval >= 5e9, `every ${Interval / 1e9} s`);
    assert.ok(Timeout > 0 && Timeout <= 10e9, `${Timeout / 1e9} s`);
    assert.ok(Retries > 0 && Retries <= 10, `${Retries} tries`);
  });

  test('with more labels than any has need of is refused in words', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `LABEL l${index}=1`);
    const crowded = await buildImage(docker, { name: 'crowded', changes: many });
    const refused = await berth.start(yamlOf('crowded', crowded));
    await berth.reach(refused, 'failed');
    assert.match((await berth.status(refused)).message, /has 1003 labels; at most 1000/);
  });
});

function yamlOf(name: string, image: string): string {
  return `application:
  name: ${name}
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [8080] }
    - { name: worker, image: "${image}", command: [idle] }
`;
}
