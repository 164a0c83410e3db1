import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { documentPage } from './document-page.ts';
import { framePolicy, frameStyle } from './page-frame.ts';
import type { Page } from './pages.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const page = (text: string): Page => ({ path: 'guides/a', kind: 'guides', title: 'A <b>', text });

let api: TestApi;
before(async () => {
  api = await testApi({ baseUrl: new URL('https://berth.test') });
});

test('a page is HTML without an ending, and text with one', async () => {
  for (const accept of [browser, { accept: '*/*' }]) {
    const html = await api.get('/docs/reference/api', accept);
    assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(html.headers['content-security-policy'], framePolicy);
    const text = await api.get('/docs/reference/api.md', accept);
    assert.equal(text.headers['content-type'], 'text/markdown; charset=utf-8');
  }
});

test('an unknown page is a page for a browser, and an error for a program', async () => {
  const page = await api.get('/docs/guides/nothing', browser);
  assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8']);
  assert.equal((await api.get('/docs/guides/nothing')).body.code, 'not_found');
});

test('whatever the pages lead to is there: documents, their headings, and pictures', async () => {
  const read = new Map<string, string>();
  const pageAt = async (path: string) => {
    if (!read.has(path)) read.set(path, (await api.get(path, browser)).body as string);
    return read.get(path)!;
  };
  const first = await pageAt('/docs/reference/api');
  const documents = [...first.matchAll(/<a href="(\/docs\/\w+\/[\w-]+)"/g)].map(([, path]) => path!);
  assert.ok(new Set(documents).size >= 20);
  for (const path of documents) {
    const html = await pageAt(path);
    for (const [, target = ''] of html.matchAll(/ (?:href|src|srcset)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(target, `https://berth.test${path}`);
      if (origin !== 'https://berth.test') continue;
      assert.equal((await api.get(pathname, browser)).status, 200, `${path}: ${target}`);
      if (hash) assert.ok((await pageAt(pathname)).includes(` id="${hash.slice(1)}"`), `${path}: ${target}`);
    }
    assert.doesNotMatch(html, /<script|\son\w+=|\sstyle=|<h1[\s\S]*<h1/);
  }
});

test('what a document says is no markup of the page, and no address that does something', () => {
  const evil = '<script>alert(1)</script>';
  const html = documentPage(
    page(`# ${evil}\n\n${evil}\n\n## <i>x</i> \`${evil}\`\n
[x](javascript:alert(1)) [y](data:text/html,x) [z](//elsewhere.test) [w](other.md#part "${evil}")\n
![${evil}](https://elsewhere.test/x.png) ![${evil}](../pictures/../x-light.png)\n
\`\`\`${evil}\n${evil}\n\`\`\`\n\n| ${evil} |\n|---|\n| ${evil} |\n`),
    [page('')],
  );
  assert.doesNotMatch(html, /<script|<i>|<b>|javascript:|data:|elsewhere|<img/);
  assert.match(html, /<a href="\/docs\/guides\/other#part">w<\/a>/);
});

test('the navigation contains each page, and the sections of this page', () => {
  const own = page('# A\n\n## One\n\n## One\n\n### Two\n');
  const html = documentPage(own, [own]);
  assert.match(
    html,
    /<a href="\/docs\/guides\/a" aria-current="page">A &#60;b&#62;<\/a><ul><li><a href="#one">One<\/a>/,
  );
  assert.match(html, /<a href="#one-1">One<\/a>/);
  assert.doesNotMatch(html, /href="#two"/);
});

test('its colours are those of the dashboard', () => {
  const tokens = readFileSync(new URL('../../../web/src/styles/tokens.css', import.meta.url), 'utf8');
  const own = [...frameStyle.matchAll(/(--[\w-]+):(light-dark\([^)]*\))/g)];
  assert.ok(own.length >= 9);
  for (const [, name, colours] of own)
    assert.ok(tokens.includes(`${name}: ${colours!.replace(',', ', ')};`), String(name));
});
