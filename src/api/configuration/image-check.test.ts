import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { ImageFault } from '../../images/image-fault.ts';

const yaml = (image: string) => `application:
  name: shop
  pods:
    - name: web
      image: ${image}
      path: /
      servicePorts: [80]
`;

async function server(settings: Parameters<typeof testApi>[0] = {}) {
  const api = await testApi(settings);
  const requested: string[] = [];
  api.world.images.set('node:26-slim', {});
  api.world.images.set('private/node:20', { digest: `sha256:${'a'.repeat(64)}` });
  api.service.registries = {
    async digestOf({ image }) {
      requested.push(image);
      if (image === 'nginx:1') return `sha256:${'b'.repeat(64)}`;
      throw new ImageFault('image-not-found', image, `Image ${image} was not found.`);
    },
  };
  return { api, asked: requested };
}

test('with images=true a document with an image that the server cannot get is invalid, and the nearest one is named', async () => {
  const { api, asked } = await server();
  const { body } = await api.postYaml('/validate?images=true&fix=true', yaml('node:20-alpine'));
  assert.deepEqual([body.valid, body.images], [false, 'checked']);
  const [found] = body.diagnostics;
  assert.deepEqual([found.code, found.path, found.line], ['image-unavailable', 'application.pods[0].image', 5]);
  assert.match(found.message, /this server cannot get node:20-alpine: Image node:20-alpine was not found/);
  assert.equal(found.hint, 'this server has node:26-slim');
  assert.deepEqual(asked, ['node:20-alpine']);
});

test("images of a registry and the operator's own are valid, and another tenant's are not named", async () => {
  const { api, asked } = await server();
  for (const image of ['nginx:1', 'node:26-slim']) {
    const { body } = await api.postYaml('/validate?images=true', yaml(image));
    assert.deepEqual([body.valid, body.images], [true, 'checked'], image);
  }
  assert.deepEqual(asked, ['nginx:1']);
  const { body } = await api.postYaml('/validate?images=true', yaml('private/node:21'));
  assert.doesNotMatch(JSON.stringify(body), /private\/node:20/);
});

test('a validation that does not look for the images says so', async () => {
  const { api, asked } = await server();
  const plain = await api.postYaml('/validate', yaml('node:20-alpine'));
  assert.deepEqual([plain.body.valid, plain.body.images], [true, 'not checked']);
  const broken = await api.postYaml('/validate?images=true', yaml('node:20-alpine').replace('path: /', 'path: 5'));
  assert.equal(broken.body.images, 'not checked');
  assert.deepEqual(asked, []);
  delete api.service.registries;
  const elsewhere = await api.postYaml('/validate?images=true', yaml('node:20-alpine'));
  assert.deepEqual([elsewhere.body.valid, elsewhere.body.images], [true, 'not checked']);
});

test('a client has a limit of image lookups, above which a validation succeeds without them', async () => {
  const { api, asked } = await server({ rate: { count: 3, windowMs: 60_000 } });
  const two = `${yaml('nginx:1')}    - { name: cache, image: "nginx:1.29" }\n`;
  const imagesFor = async (client: string) => {
    const headers = { 'content-type': 'text/x-yaml', 'x-berth-client': client };
    return (await api.send('POST', '/validate?images=true', two, headers)).body.images;
  };
  assert.deepEqual([await imagesFor('192.0.2.1'), await imagesFor('192.0.2.1')], ['checked', 'not checked']);
  assert.equal(asked.length, 2);
  assert.equal(await imagesFor('192.0.2.2'), 'checked');
});

test('an image of a Compose file is reported at its service', async () => {
  const { api } = await server();
  const { body } = await api.postYaml(
    '/validate?images=true',
    'services:\n  web:\n    image: node:20\n    ports: ["80"]\n',
  );
  assert.deepEqual(
    body.diagnostics
      .map(({ code, path, line }: { code: string; path: string; line: number }) => [code, path, line])
      .filter(([code]: [string]) => code === 'image-unavailable'),
    [['image-unavailable', 'services.web.image', 3]],
  );
});
