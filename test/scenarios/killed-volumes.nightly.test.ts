import { after, before } from 'node:test';
import Docker from 'dockerode';
import { buildImage } from '../contract/image.ts';
import { keepingYaml } from './applications.ts';
import { type Berth, createBerth } from './berth.ts';
import { testLives } from './lives.ts';

let berth: Berth;
let image: string;
before(async () => {
  image = await buildImage(new Docker(), { name: 'contract' });
  berth = await createBerth({}, { isHooked: true });
  await berth.serve();
});
after(async () => await berth.destroy());

testLives('a pod with a volume and another pod', {
  berth: () => berth,
  yaml: (name, says) => keepingYaml(name, image, says),
  whole: { path: '/says', workloads: 2, volumes: 1 },
  keeps: async ({ url }) => (await berth.visit(`${url}/born`)).text,
});
