/** The guestbook has tests of its own; the first page and the counter are deployed by those of the dashboard. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Berth, createBerth } from './berth.ts';

const example = (name: string) => readFile(join(import.meta.dirname, `../../examples/${name}.yaml`), 'utf8');

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

test('the example of notes keeps what people write, also through an update', async () => {
  const yaml = await example('notes');
  const app = await berth.start(yaml);
  await berth.reach(app, 'running');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const kept = await berth.visit(app.url, { method: 'POST', headers: form, body: 'text=buy+%3Cmilk%3E' });
  assert.equal(kept.status, 303);
  await berth.update(app, yaml.replace('TITLE: Notes', 'TITLE: My notes'));
  await berth.reach(app, 'running');
  const { text } = await berth.visit(app.url);
  assert.match(text, /<h1>My notes<\/h1>/);
  assert.match(text, /<li>buy &#60;milk&#62;<\/li>/);
});

test('the example of a Compose file counts votes', async () => {
  const app = await berth.start(await example('compose'));
  await berth.reach(app, 'running');
  assert.match((await berth.visit(app.url)).text, /Tea or coffee/);
  const vote = async (choice: string) =>
    JSON.parse((await berth.visit(`${app.url}/api/${choice}`, { method: 'POST' })).text);
  assert.deepEqual(await vote('tea'), { tea: 1, coffee: 0 });
  assert.deepEqual(await vote('coffee'), { tea: 1, coffee: 1 });
});
