import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { readSite } from '../dashboard/bundle.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const folder = join(import.meta.dirname, '../../../site/dist');

let api: TestApi;
let pages: string[];
before(async () => {
  api = await testApi({ baseUrl: new URL('https://berth.test') });
  api.service.site = await readSite(folder);
  assert.ok(api.service.site, '`npm test` builds the documentation first');
  pages = [...api.service.site.keys()]
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .map((name) => `/docs/${name.replace(/(?:index)?\.html$/, '')}`);
});

const htmlAt = async (path: string) => {
  const { status, body } = await api.get(path, browser);
  assert.equal(status, 200, path);
  return body as string;
};

test('a page is HTML without an ending, and text with one', async () => {
  const html = await api.get('/docs/reference/api', browser);
  assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
  const text = await api.get('/docs/reference/api.md', browser);
  assert.equal(text.headers['content-type'], 'text/markdown; charset=utf-8');
  assert.match(await htmlAt('/docs'), /<h1/);
});

test('every link of a page leads to a page, a heading, or a file', async () => {
  assert.ok(pages.length >= 20);
  const read = new Map<string, string>();
  const broken: string[] = [];
  for (const page of pages) {
    const html = await htmlAt(page);
    for (const [, target = ''] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(target.replaceAll('&amp;', '&'), `https://berth.test${page}`);
      if (origin !== 'https://berth.test') continue;
      const answer = read.get(pathname) ?? (await api.get(pathname, browser));
      if (typeof answer !== 'string' && answer.status !== 200) broken.push(`${page}: ${target}`);
      const text = typeof answer === 'string' ? answer : String(answer.body);
      read.set(pathname, text);
      if (hash && !text.includes(` id="${decodeURIComponent(hash.slice(1))}"`)) broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('a page runs scripts of the service, and those that its policy names by their hashes', async () => {
  for (const page of pages) {
    const { body, headers } = await api.get(page, browser);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none';/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    for (const [, code] of String(body).matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)) {
      const hash = createHash('sha256').update(code!).digest('base64');
      assert.ok(policy.includes(`'sha256-${hash}'`), page);
    }
    assert.doesNotMatch(
      String(body),
      /\son\w+="|\sstyle="|<style|<iframe|(?:src|href)="(?:https?:)?\/\/[^"]*\.(?:js|css)"/,
      page,
    );
  }
});

test('files have their hashes in their names, and may be kept; pages may not', async () => {
  const [, file] = /src="(\/docs\/assets\/app\.[^"]+)"/.exec(await htmlAt('/docs/'))!;
  const { headers } = await api.get(file!, { 'accept-encoding': 'br' });
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(headers['content-encoding'], 'br');
  assert.equal((await api.get('/docs', browser)).headers['cache-control'], 'no-store');
});

test('an unknown page is a page for a browser, and an error for a program', async () => {
  const page = await api.get('/docs/guides/nothing', browser);
  assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8']);
  assert.equal((await api.get('/docs/guides/nothing')).body.code, 'not_found');
});

test('without a site, a browser gets the text', async () => {
  const { site } = api.service;
  api.service.site = undefined;
  const { status, headers } = await api.get('/docs/reference/cli', browser);
  api.service.site = site;
  assert.deepEqual([status, headers.location], [302, '/docs/reference/cli.md']);
});
