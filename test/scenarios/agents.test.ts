/** A program that knows nothing but the address of a service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

test('the first call leads to an example, which runs as it stands in the second', async () => {
  const start = await berth.get('/');
  const { origin } = berth.settings.baseUrl;
  const pathOf = (text: string, end: string) => new RegExp(`${origin}(/\\S*${end})`).exec(text)?.[1];
  const index = await berth.get(pathOf(start.text, 'llms\\.txt')!);
  const [, yaml] = /^```yaml\n([\s\S]*?)^```$/m.exec(index.text)!;
  const app = await berth.start(yaml!);
  await berth.reach(app, 'running');
  // A node of a cluster may learn a moment later where the store is.
  const first = await until('the store is found', async () => {
    const { status, text } = await berth.visit(app.url);
    return status === 503 ? undefined : text;
  });
  assert.equal(first, 'visit 1\n');
  assert.equal((await berth.visit(app.url)).text, 'visit 2\n');
});
