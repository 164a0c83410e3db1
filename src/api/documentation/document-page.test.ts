import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { documentPage } from './document-page.ts';
import { framePolicy, frameStyle } from './page-frame.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const shelf = [{ heading: 'All', documents: [{ name: 'a.md', title: 'A <b>' }] }];

let api: TestApi;
before(async () => {
  api = await testApi({ baseUrl: new URL('https://berth.test') });
});

test('a browser is shown a page, a program the text; who asks for the text has it', async () => {
  for (const path of ['/docs/api.md', '/auth.md']) {
    const page = await api.get(path, browser);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8', path);
    assert.equal(page.headers['content-security-policy'], framePolicy);
    assert.equal(page.headers.vary, 'Accept');
    const agent = { accept: 'text/markdown, text/html, */*' };
    for (const asked of [api.get(path), api.get(path, agent), api.get(`${path}?plain=1`, browser)]) {
      assert.equal((await asked).headers['content-type'], 'text/markdown; charset=utf-8', path);
    }
  }
});

test('a browser that asks for a document that is not there is shown a page, and a program is told', async () => {
  const page = await api.get('/docs/configuration', browser);
  assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8']);
  assert.equal((await api.get('/docs/configuration')).body.code, 'not_found');
});

test('whatever the pages lead to is there: documents, their headings, and pictures', async () => {
  const read = new Map<string, string>();
  const pageAt = async (path: string) => {
    if (!read.has(path)) read.set(path, (await api.get(path, browser)).body as string);
    return read.get(path)!;
  };
  const first = await pageAt('/docs/agents.md');
  const documents = [...first.matchAll(/<a href="(\/docs\/[\w-]+\.md)"/g)].map(([, path]) => path!);
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
  const page = documentPage(
    'a.md',
    `# ${evil}\n\n${evil}\n\n## <i>x</i> \`${evil}\`\n
[x](javascript:alert(1)) [y](data:text/html,x) [z](//elsewhere.test) [w](other.md#part "${evil}")\n
![${evil}](https://elsewhere.test/x.png) ![${evil}](pictures/../x-light.png)\n
\`\`\`${evil}\n${evil}\n\`\`\`\n\n| ${evil} |\n|---|\n| ${evil} |\n`,
    shelf,
  );
  assert.doesNotMatch(page, /<script|<i>|<b>|javascript:|data:|elsewhere|<img/);
  assert.match(page, /<a href="\/docs\/other\.md#part">w<\/a>/);
});

test('a document is among all, with its parts', () => {
  const page = documentPage('a.md', '# A\n\n## One\n\n## One\n\n### Two\n', shelf);
  assert.match(page, /<a href="\/docs\/a\.md" aria-current="page">A &#60;b&#62;<\/a><ul><li><a href="#one">One<\/a>/);
  assert.match(page, /<a href="#one-1">One<\/a>/);
  assert.doesNotMatch(page, /href="#two"/);
});

test('its colours are those of the dashboard', () => {
  const tokens = readFileSync(new URL('../../../web/src/styles/tokens.css', import.meta.url), 'utf8');
  const own = [...frameStyle.matchAll(/(--[\w-]+):(light-dark\([^)]*\))/g)];
  assert.ok(own.length >= 9);
  for (const [, name, colours] of own)
    assert.ok(tokens.includes(`${name}: ${colours!.replace(',', ', ')};`), String(name));
});
