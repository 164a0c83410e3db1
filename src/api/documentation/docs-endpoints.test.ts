import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { renderDocs } from './docs-page.ts';

let api: TestApi;
let page: Awaited<ReturnType<TestApi['get']>>;
before(async () => {
  api = await testApi();
  page = await api.get('/docs');
});

test('the page names every request of the description, with its fields and its answers', async () => {
  const { body } = await api.get('/openapi.json');
  assert.equal(page.status, 200);
  for (const [path, methods] of Object.entries(
    body.paths as Record<string, Record<string, { operationId?: string }>>,
  )) {
    for (const [method, { operationId = `${method}${path}` }] of Object.entries(methods)) {
      assert.ok(page.body.includes(`<section class="request" id="${operationId}">`), operationId);
      assert.ok(page.body.includes(`<a href="#${operationId}">`), operationId);
    }
    assert.ok(page.body.includes(`<code>${path}</code>`), path);
  }
  for (const words of [
    'reservedDeployments[].status.pods[].name',
    'links.status',
    'dryRun',
    'idempotency-key',
    'text/event-stream',
    'Body</h3>',
  ])
    assert.ok(page.body.includes(words), words);
});

test('it begins with a start', () => {
  const first = /<section class="request" id="([^"]+)">/.exec(page.body)?.[1];
  assert.equal(first, 'startDeployment');
});

test('it runs its own style and nothing else: no script, nothing from anywhere', () => {
  const policy = String(page.headers['content-security-policy']);
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page.body)!;
  const hash = createHash('sha256').update(style!).digest('base64');
  assert.equal(policy.split(';')[1], ` style-src 'sha256-${hash}'`);
  assert.match(policy, /^default-src 'none';/);
  assert.doesNotMatch(policy, /unsafe|script|https?:/);
  assert.doesNotMatch(page.body, /<script|<img|<link|<iframe|\son\w+=|\sstyle=|(?:src|href)="https?:/);
});

test('what a description says is text on the page, never markup', () => {
  const evil = '<script>alert(1)</script>"\'`x`';
  const operation = {
    operationId: evil,
    summary: evil,
    description: evil,
    parameters: [{ name: evil, in: evil, description: evil, schema: { enum: [evil] } }],
    requestBody: { content: { 'application/json': { schema: { properties: { [evil]: { description: evil } } } } } },
    responses: { [evil]: { description: evil } },
  };
  const html = renderDocs(
    {
      info: { title: evil, version: evil, description: evil },
      paths: { [evil]: { get: operation } },
    },
    evil,
  );
  assert.doesNotMatch(html, /<script/);
  assert.match(html, /<code>x<\/code>/);
});

test('the description says what bodies are and what every request may be answered', async () => {
  const { body } = await api.get('/openapi.json');
  for (const path of ['/startUserDeployment', '/updateUserDeployment', '/previewUserDeployment', '/validate'])
    assert.deepEqual(Object.keys(body.paths[path].post.requestBody.content), ['text/x-yaml', 'application/json']);
  for (const methods of Object.values(body.paths as Record<string, Record<string, { responses: object }>>))
    for (const { responses } of Object.values(methods))
      for (const status of ['200', '400', '429', '500', 'default']) assert.ok(status in responses);
  assert.deepEqual(Object.keys(body.paths['/getDeploymentEvents'].get.responses[200].content), ['text/event-stream']);
});
