import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
before(async () => {
  api = await testApi({ baseUrl: new URL('https://berth.test') });
});

const text = async (path: string) => {
  const { status, body, headers } = await api.get(path);
  assert.equal(status, 200, path);
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
  return body as string;
};

test('the index names every page, and each is there, with the address of this service', async () => {
  const index = await text('/llms.txt');
  const folder = join(import.meta.dirname, '../../../docs');
  const names = globSync('{start,guides,reference,explanation}/*.md', { cwd: folder });
  assert.ok(names.length >= 20);
  for (const name of names) {
    const [, title] = new RegExp(`- \\[(.+)\\]\\(https://berth\\.test/docs/${name.replace('.', '\\.')}\\)`).exec(
      index,
    )!;
    const page = await text(`/docs/${name}`);
    assert.ok(page.startsWith(`# ${title}\n`), name);
    assert.ok(!page.includes('http://localhost:8080'), name);
  }
  assert.match(index, /^## Guides for users$[\s\S]*^## Reference$[\s\S]*^## Explanation$/m);
});

test('addresses that clients may have stored lead to the pages of today', async () => {
  for (const name of ['agents', 'api', 'compose', 'configuration']) {
    const { status, headers } = await api.get(`/docs/${name}.md`);
    assert.equal(status, 301, name);
    await text(String(headers.location));
  }
});

test('the index is a guide by itself: its loop and its example are those of the page for agents', async () => {
  const [index, page] = [await text('/llms.txt'), await text('/docs/guides/use-berth-as-an-agent.md')];
  const [, example] = /^```yaml\n([\s\S]*?)^```$/m.exec(page)!;
  assert.ok(example && index.includes(example));
  assert.match(index, /^## The loop$/m);
  for (const rule of [
    'Path prefixes are not stripped',
    'has 3 to 64 characters',
    'images=true',
    '`EXPOSE` of an image',
  ])
    assert.ok(index.includes(rule), rule);
});

test('links in a text at another address than its own work', async () => {
  const linked = await Promise.all(['/llms.txt', '/llms-full.txt', '/auth.md'].map(text));
  const targets = new Set(
    linked
      .join('')
      .matchAll(/\]\(([^)#\s]+)/g)
      .map(([, target]) => target!),
  );
  assert.ok(targets.size > 15);
  for (const target of targets) {
    if (target.startsWith('https://') && !target.startsWith('https://berth.test/')) continue;
    assert.match(target, /^https:\/\/berth\.test\//);
    assert.equal((await api.get(target.replace('https://berth.test', ''))).status, 200, target);
  }
});

test('all pages are one text', async () => {
  const whole = await text('/llms-full.txt');
  for (const title of ['For agents and other programs', 'Authentication', 'Configuration', 'API', 'Command line']) {
    assert.match(whole, new RegExp(`^# ${title}$`, 'm'));
  }
  assert.match(await text('/auth.md'), /^# Authentication$/m);
});

test('the hints of errors name an address that lists all requests for programs', async () => {
  assert.match(await text('/docs'), /^### POST \/startUserDeployment$/m);
});

test('the start of the service leads there, for programs and for pages', async () => {
  const plain = await api.get('/');
  assert.match(plain.body, /https:\/\/berth\.test\/llms\.txt/);
  const page = await api.get('/', { accept: 'text/html' });
  for (const { headers } of [plain, page, await api.get('/docs', { accept: 'text/html' })]) {
    assert.match(String(headers.link), /<\/llms\.txt>; rel="alternate".*<\/openapi\.json>; rel="service-desc"/);
  }
});

test('no other file is served', async () => {
  for (const name of [
    'nothing.md',
    'guides/..%2FREADME.md',
    '..%2f..%2fpackage.json',
    'guides/%00.md',
    'contributing/style.md',
  ]) {
    assert.equal((await api.get(`/docs/${name}`)).status, 404, name);
  }
});
