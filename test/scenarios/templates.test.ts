/** Templates whose images can be had here, and which install nothing when they start, are deployed as they are. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recipes } from '../../scripts/setup/images/images.ts';
import { readTemplates } from '../../src/api/templates/template-endpoints.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

const here = recipes.map(({ image }) => image);
const deployable = readTemplates().filter(
  ({ images, document }) => images.every((image) => here.includes(image)) && !document.includes('npm install'),
);

/** A proof that each template works. */
const proofs: Record<string, (app: Started) => Promise<void>> = {
  async chat(app) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const said = await berth.visit(`${app.url}/messages`, { method: 'POST', headers, body: 'name=Ada&says=hello' });
    assert.equal(said.status, 204);
    assert.match((await berth.visit(app.url)).text, /<h1>Chat<\/h1>/);
  },
  async cron(app) {
    await until('it has run', async () => /uses \d+ MB/.test((await berth.visit(app.url)).text));
  },
  async queue(app) {
    assert.equal((await berth.visit(app.url, { method: 'POST' })).status, 303);
    await until('a worker has done it', async () => /<li>[0-9a-f]{8} by /.test((await berth.visit(app.url)).text));
  },
  async redis(app) {
    const put = await berth.visit(`${app.url}/keys/a`, { method: 'PUT', body: 'hello' });
    assert.equal(put.text, 'OK\n');
    assert.equal((await berth.visit(`${app.url}/keys/a`)).text, 'hello\n');
    assert.equal((await berth.visit(`${app.url}/keys/b`)).status, 404);
  },
  async 'static-site'(app) {
    assert.match((await berth.visit(`${app.url}/about.html`)).text, new RegExp(`lives at ${app.url}\\.`));
  },
};

test('every template that can run here is deployed by a test', () => {
  assert.deepEqual(deployable.map(({ name }) => name).sort(), Object.keys(proofs).sort());
});

for (const { name, title, document } of deployable) {
  test(`the template ${title} runs, and does what it says`, async () => {
    const app = await berth.start(document);
    await berth.reach(app, 'running');
    await proofs[name]!(app);
    await berth.remove(app);
  });
}
