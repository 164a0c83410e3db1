import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { testApi } from '../../../test/support/api.ts';
import { eventKinds } from '../../deployment/event/event.ts';
import { operations } from './operation-notes.ts';

type Operation = {
  operationId: string;
  tags: string[];
  security: object[];
  requestBody?: { content: { [type: string]: { schema: object; example?: unknown } } };
  responses: { [status: string]: { description: string; content?: { [type: string]: { example?: unknown } } } };
};
type Description = {
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: object } };
};

let text: string;
let description: Description;
let all: Operation[];
before(async () => {
  const api = await testApi();
  description = (await api.get('/openapi.json')).body;
  text = JSON.stringify(description);
  all = Object.values(description.paths).flatMap((methods) => Object.values(methods));
});

test('Redocly finds nothing to complain about, by its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  );
});

test('Spectral finds nothing to complain about, by its rules for OpenAPI', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] });
  const problems = await linter.run(text);
  assert.deepEqual(
    problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`),
    [],
  );
});

test('every operation says who may ask and what it can be answered', () => {
  for (const { operationId, security, tags, responses } of all) {
    assert.ok(Array.isArray(security) && tags.length === 1, operationId);
    for (const status of ['200', '400', '429', '500', 'default']) assert.ok(status in responses, operationId);
  }
  const signedIn = all.find(({ operationId }) => operationId === 'listKeys')!;
  assert.deepEqual(signedIn.security, [{ signIn: [] }]);
  assert.match(signedIn.responses['401']!.description, /`not_signed_in`/);
});

test('no note is left over from an operation that is gone', () => {
  const ids = new Set(all.map(({ operationId }) => operationId));
  assert.deepEqual(
    Object.keys(operations).filter((id) => !ids.has(id)),
    [],
  );
});

test('what has a JSON body or a JSON answer shows an example of it, signing in apart', () => {
  // A plan that allows it, bodies that are the schema itself, and servers of others are no part of the story.
  const exempt = new Set(['getConfigSchema', 'addDeploymentReservation', 'fetchDocument']);
  for (const { operationId, tags, requestBody, responses } of all) {
    if (tags[0] === 'sign-in' || exempt.has(operationId)) continue;
    const [body] = Object.values(requestBody?.content ?? {});
    if (body) assert.notEqual(body.example, undefined, `${operationId} body`);
    const answer = responses['200']?.content?.['application/json'];
    if (answer) assert.notEqual(answer.example, undefined, `${operationId} answer`);
  }
});

test('the calls of signing in say which bodies they take', () => {
  const posts = Object.entries(description.paths)
    .filter(([path]) => path.startsWith('/api/auth/'))
    .flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
  assert.ok(posts.length > 10);
  for (const { path, post } of posts) assert.ok(post.requestBody?.content['application/json']?.schema, path);
});

test('what stands in several places is a component', () => {
  const { Error: error, Status: status } = description.components.schemas;
  assert.ok(error && status);
  assert.ok(text.split('"#/components/schemas/Error"').length > 100);
  assert.ok(text.split('"#/components/schemas/Status"').length > 3);
});

test('events are told apart by their kind, each with its fields', () => {
  const { Event: event } = description.components.schemas as { Event: { oneOf: object[]; discriminator: object } };
  const names = eventKinds.map((kind) => `${kind[0]!.toUpperCase()}${kind.slice(1)}Event`);
  assert.deepEqual(
    event.oneOf,
    names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
  for (const name of names) assert.ok(description.components.schemas[name], name);
  const stream = description.paths['/getDeploymentEvents']!.get!.responses['200']!.content!['text/event-stream'];
  assert.match(JSON.stringify(stream), /"contentSchema":\{"\$ref":"#\/components\/schemas\/Event"\}/);
});
