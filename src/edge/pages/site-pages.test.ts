import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { faultPage } from './fault-pages.ts';
import type { SiteState } from './site-answers.ts';
import { statePage } from './site-pages.ts';

const browser = { host: 'jolly-tapir-shop.apps.test', path: '/x', wantsHtml: true };
const program = { ...browser, wantsHtml: false };
const shop: SiteState = { applicationName: 'shop', environment: 'jolly-tapir', state: 'running' };
const states = ['deploying', 'running', 'failed', 'expired', 'removed'] as const;

test('every state has its status and its code', () => {
  const found = [...states, undefined].map((state) => {
    const { status, body } = statePage(state && { ...shop, state }, program);
    return `${state} ${status} ${JSON.parse(body).code}`;
  });
  assert.deepEqual(found, [
    'deploying 503 application_deploying',
    'running 404 no_pod_for_path',
    'failed 502 application_failed',
    'expired 410 application_expired',
    'removed 410 application_removed',
    'undefined 404 site_not_found',
  ]);
});

test('what has ended can be restored at its address, and the page does not promise another one', () => {
  for (const state of ['expired', 'removed'] as const) {
    const { hint } = JSON.parse(statePage({ ...shop, state }, program).body);
    assert.equal(hint, 'While its data is kept, its owner can restore it at this address (POST /restoreDeployment).');
    assert.match(statePage({ ...shop, state }, browser).body, /its owner can restore it at this address/);
  }
});

test('who comes without TLS to a site without a certificate reads what it waits for, and when to come again', () => {
  const wait = { because: 'limit', until: Date.UTC(2030, 0, 2) } as const;
  const { status, headers, body } = statePage(shop, { ...program, wait });
  assert.deepEqual([status, headers['Retry-After'], JSON.parse(body).code], [503, '60', 'certificate_missing']);
  assert.match(JSON.parse(body).hint, /before 2030-01-02 at 00:00 UTC/);
  const own = statePage(undefined, { ...browser, wait: { because: 'ordered' } });
  assert.deepEqual([own.status, own.headers['X-Berth-State']], [503, 'waiting']);
  assert.match(own.body, /This service is only available over HTTPS/);
  assert.equal(
    JSON.parse(statePage({ ...shop, state: 'expired' }, { ...program, wait }).body).code,
    'application_expired',
  );
});

test('a temporarily incomplete site does not count as an address without a pod, and its page reloads', () => {
  const site: SiteState = { ...shop, state: 'degraded', isIncomplete: true };
  const { status, headers, body } = statePage(site, program);
  assert.deepEqual([status, headers['Retry-After'], JSON.parse(body).code], [503, '5', 'application_incomplete']);
  assert.match(statePage(site, browser).body, /<noscript><meta http-equiv="refresh" content="5"><\/noscript>/);
});

test('the page reloads only for a path that a pod serves now', () => {
  const site: SiteState = { ...shop, paths: ['/api', '/a b'] };
  const codeAt = (path: string) => JSON.parse(statePage(site, { ...program, path }).body).code;
  for (const path of ['/api', '/api/', '/api/v1', '/a%20b/c'])
    assert.equal(codeAt(path), 'application_incomplete', path);
  for (const path of ['/', '/apiary', '/x/api']) assert.equal(codeAt(path), 'no_pod_for_path', path);
  const atRoot = statePage({ ...shop, paths: ['/'] }, program);
  assert.deepEqual([atRoot.status, atRoot.headers['Retry-After']], [503, '5']);
});

test('while deploying, a program learns the progress and when to ask again', () => {
  const pods = [{ name: 'db', state: 'starting' }];
  const site: SiteState = { ...shop, state: 'deploying', progress: 41.6, pods };
  const { headers, body } = statePage(site, program);
  assert.equal(headers['Retry-After'], '2');
  assert.deepEqual(JSON.parse(body), {
    error: 'Application shop is being deployed: 42%.',
    code: 'application_deploying',
    hint: 'Try again in a few seconds.',
    ...site,
  });
});

test('while deploying, a browser sees a progress bar that updates by itself, also without the script', () => {
  const site: SiteState = { ...shop, state: 'deploying', progress: 250, pods: [{ name: 'db', state: 'ready' }] };
  const { body } = statePage(site, browser);
  assert.match(body, /<progress [^>]*max="100" value="100" aria-label="Deployment progress"/);
  assert.match(body, /<noscript><meta http-equiv="refresh" content="3"><\/noscript>/);
  assert.match(body, /<li class="ready"><b>db<\/b><i>ready<\/i><\/li>/);
  assert.match(body, /prefers-reduced-motion/);
});

test('nothing is stored, indexed or loaded, and only our own style and script run', () => {
  const pages = [...states, undefined].map((state) => statePage(state && { ...shop, state }, browser));
  const faults = (['api', 'pages', 'application'] as const).map((backend) => faultPage(backend, 503));
  for (const { headers, body } of [
    ...pages,
    ...faults.map(({ html, htmlHeaders }) => ({ headers: htmlHeaders, body: html })),
  ]) {
    assert.equal(headers['Cache-Control'], 'no-store');
    assert.equal(headers['X-Robots-Tag'], 'noindex');
    const policy = headers['Content-Security-Policy'] ?? '';
    assert.match(policy, /^default-src 'none'; /);
    for (const [, text] of body.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs))
      assert.ok(policy.includes(createHash('sha256').update(text!).digest('base64')));
    assert.doesNotMatch(body, / style=| on\w+=|(?:src|href)="(?!data:)/);
  }
});

test('a value from outside is never markup', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '</pre><script>x()</script>',
      '"><img src=x onerror=x()>',
      "'onload='x()",
      '&lt;',
      '</style>',
      '--><b>',
    ),
  );
  const site = fc.record({
    applicationName: hostile,
    environment: hostile,
    state: fc.constantFrom(...states),
    pods: fc.array(fc.record({ name: hostile, state: hostile }), { minLength: 1, maxLength: 1 }),
    url: hostile,
    dashboardUrl: hostile,
  });
  const shape = (page: string) =>
    page
      .match(/<[^>]*>/g)
      ?.map((tag) => tag.replace(/ (value|aria-valuetext|class)="[^"]*"/g, ''))
      .join('');
  fc.assert(
    fc.property(site, hostile, (random, path) => {
      const harmless = {
        ...random,
        applicationName: 'a',
        environment: 'b',
        pods: [{ name: 'd', state: 'e' }],
        url: 'g',
        dashboardUrl: 'h',
      };
      const request = { host: path, path, wantsHtml: true };
      assert.equal(
        shape(statePage(random, request).body),
        shape(statePage(harmless, { ...request, host: 'h', path: 'p' }).body),
      );
    }),
    { numRuns: 500 },
  );
});

test('a link leads to a web address or nowhere', () => {
  assert.match(statePage({ ...shop, url: 'https://shop.test' }, browser).body, /<a href="https:\/\/shop\.test">/);
  assert.doesNotMatch(statePage({ ...shop, url: 'javascript:alert(1)' }, browser).body, /<a /);
  const failed: SiteState = { ...shop, state: 'failed', dashboardUrl: 'https://berth.test/d/jolly-tapir/shop' };
  assert.match(statePage(failed, browser).body, /<a href="https:\/\/berth\.test\/d\/jolly-tapir\/shop">/);
});

test("HAProxy's own pages fit its buffer of 16 KiB with room for headers", () => {
  for (const backend of ['api', 'pages', 'application'] as const)
    for (const status of [500, 502, 503, 504] as const) assert.ok(faultPage(backend, status).html.length < 12_000);
});
