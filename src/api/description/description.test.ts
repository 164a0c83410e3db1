import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { testApi } from '../../../test/support/api.ts';
import { eventKinds } from '../../deployment/event/event.ts';
import { wholeDescription } from './description.ts';
import { codesOf } from './shared-parts.ts';

type Operation = {
  operationId: string;
  tags: string[];
  security: object[];
  requestBody?: { content: { [type: string]: { schema: object; example?: unknown } } };
  parameters?: object[];
  responses: {
    [status: string]: { $ref?: string; description: string; content?: { [type: string]: { example?: unknown } } };
  };
};
type Description = {
  paths: { [path: string]: { [method: string]: Operation } };
  components: { [kind: string]: { [name: string]: object } };
};

let text: string;
let description: Description;
let all: Operation[];
let short: Operation[];
let withExamples: Description;
let whole: Description;
before(async () => {
  const api = await testApi();
  description = (await api.get('/openapi.json')).body;
  withExamples = (await api.get('/openapi.json?examples=true')).body;
  whole = wholeDescription(api.app) as unknown as Description;
  text = JSON.stringify(description);
  all = operationsOf(withExamples);
  short = operationsOf(description);
});

test('Redocly finds nothing to complain about, by its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  for (const source of [text, JSON.stringify(withExamples)]) {
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      [],
    );
  }
});

test('Spectral finds nothing to complain about, by its rules for OpenAPI', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] });
  for (const source of [text, JSON.stringify(withExamples)]) {
    const problems = await linter.run(source);
    assert.deepEqual(
      problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`),
      [],
    );
  }
});

test('every operation says who may ask and what it can be answered', () => {
  for (const { operationId, security, tags, responses } of all) {
    assert.ok(Array.isArray(security) && tags.length === 1, operationId);
    for (const status of ['200', '400', '429', '500', 'default']) assert.ok(status in responses, operationId);
  }
  const signedIn = all.find(({ operationId }) => operationId === 'listKeys')!;
  assert.deepEqual(signedIn.security, [{ signIn: [] }]);
  assert.match(JSON.stringify(resolved(signedIn.responses['401'], withExamples)), /"enum":\["not_signed_in"\]/);
});

test('what has a JSON body or a JSON answer shows an example of it, signing in apart', () => {
  // Exempt: a request that only some plans allow, bodies that are the schema itself, and requests to other servers.
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
  const posts = Object.entries(withExamples.paths)
    .filter(([path]) => path.startsWith('/api/auth/'))
    .flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
  assert.ok(posts.length > 10);
  for (const { path, post } of posts) assert.ok(post.requestBody?.content['application/json']?.schema, path);
});

test('the complete description has the parameters, bodies, statuses and codes of each request, in shared parts', () => {
  for (const [index, operation] of all.entries()) {
    const expected = operationsOf(whole)[index]!;
    const id = expected.operationId;
    assert.equal(operation.operationId, id);
    for (const field of ['parameters', 'requestBody'] as const)
      assert.deepEqual(resolved(operation[field], withExamples), resolved(expected[field], whole), id);
    assert.deepEqual(Object.keys(operation.responses), Object.keys(expected.responses), id);
    for (const [status, response] of Object.entries(expected.responses)) {
      const own = resolved(operation.responses[status], withExamples) as typeof response;
      const types = (given: typeof response) => Object.keys(given.content ?? {});
      assert.deepEqual(types(own), types(response), id);
      assert.deepEqual(codesOf(own), codesOf(response), `${id} ${status}`);
      if (status.startsWith('2')) assert.deepEqual(own, resolved(response, whole), id);
    }
  }
});

test('error responses and repeated parameters are components', () => {
  for (const { components, paths } of [description, withExamples]) {
    const { schemas, parameters, responses } = components;
    assert.ok(schemas!.Error && schemas!.Status && parameters!.environment && responses!['404']);
    for (const { operationId, ...operation } of operationsOf({ components, paths }))
      for (const [status, { $ref }] of Object.entries(operation.responses))
        if (!status.startsWith('2')) assert.notEqual($ref, undefined, `${operationId} ${status}`);
  }
  assert.match(JSON.stringify(withExamples), /"example":/);
});

test('the short description has less than 120 KB', () => {
  assert.ok(Buffer.byteLength(text) < 120_000, `${Buffer.byteLength(text)} bytes`);
});

test('the short description has every request that a token or a key allows, and no examples', () => {
  const isOfBrowser = ({ tags, security }: Operation) =>
    tags[0] === 'sign-in' || JSON.stringify(security) === '[{"signIn":[]}]';
  const ids = (operations: Operation[]) => operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids(short), ids(all.filter((operation) => !isOfBrowser(operation))));
  assert.doesNotMatch(text, /"examples?":/);
});

test('the short description has the fields of every body and answer', () => {
  const byId = new Map(all.map((operation) => [operation.operationId, operation]));
  for (const { operationId, requestBody, responses } of short) {
    const complete = byId.get(operationId)!;
    assert.deepEqual(fieldsIn(requestBody, description), fieldsIn(complete.requestBody, withExamples), operationId);
    for (const [status, response] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue;
      const expected = fieldsIn(complete.responses[status], withExamples);
      assert.deepEqual(fieldsIn(response, description), expected, operationId);
    }
  }
});

test('each error of a request has its status in the short description, or is one that every request can have', () => {
  const byId = new Map(all.map((operation) => [operation.operationId, operation]));
  const usual = description.components.responses!.default as { description: string };
  for (const { operationId, responses } of short)
    for (const [status, response] of Object.entries(byId.get(operationId)!.responses)) {
      const codes = codesOf(resolved(response, withExamples) as object);
      const shown = responses[status];
      if (shown)
        assert.deepEqual(
          codes.filter((code) => !codesOf(resolved(shown, description) as object).includes(code)),
          [],
          operationId,
        );
      else for (const code of codes) assert.ok(usual.description.includes(`\`${code}\``), `${operationId} ${code}`);
    }
});

test('events are distinguished by their kind, each with its fields', () => {
  const schemas = description.components.schemas!;
  const { Event: event } = schemas as { Event: { oneOf: object[]; discriminator: object } };
  const names = eventKinds.map((kind) => `${kind[0]!.toUpperCase()}${kind.slice(1)}Event`);
  assert.deepEqual(
    event.oneOf,
    names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
  for (const name of names) assert.ok(schemas[name], name);
  const stream = description.paths['/getDeploymentEvents']!.get!.responses['200']!.content!['text/event-stream'];
  assert.match(JSON.stringify(stream), /"contentSchema":\{"\$ref":"#\/components\/schemas\/Event"\}/);
});

function operationsOf({ paths }: Description): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Resolves references and removes examples and descriptions. */
function resolved(value: unknown, root: Description): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, root));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as { $ref?: string };
  const [kind, name] = $ref?.split('/').slice(2) ?? [];
  const fields = { ...(kind && name && (resolved(root.components[kind]![name], root) as object)), ...own };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key, each]) => !/^examples?$/.test(key) && !(key === 'description' && typeof each === 'string'))
      .map(([key, each]) => [key, resolved(each, root)]),
  );
}

/** The paths of all fields. */
function fieldsIn(value: unknown, root: Description): string[] {
  const paths = (given: unknown, path: string): string[] => {
    if (Array.isArray(given)) return given.flatMap((each) => paths(each, path));
    if (typeof given !== 'object' || given === null) return [];
    return Object.entries(given).flatMap(([key, inner]) =>
      key === 'properties'
        ? Object.entries(inner as object).flatMap(([name, field]) => [
            `${path}.${name}`,
            ...paths(field, `${path}.${name}`),
          ])
        : paths(inner, path),
    );
  };
  return [...new Set(paths(resolved(value, root), ''))].sort();
}
