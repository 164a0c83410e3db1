import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { rolldown } from 'rolldown';
import { type Description, generateTypes } from './generated-types.ts';
import { typesFile, wantedTypes } from './write-types.ts';

test('the types of the client are those of the description', async () => {
  assert.equal(await readFile(typesFile, 'utf8'), await wantedTypes(), 'run `npm run client`');
});

const described = (schema: object): Description => ({
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'makeThing',
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
          { in: 'query', name: 'some-word', schema: { type: 'string', enum: ['a', "b'"] } },
        ],
        requestBody: { content: { 'text/x-yaml': { schema: { type: 'string' } } } },
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
      },
    },
    '/api/auth/anything': { post: { operationId: 'signIn', responses: {} } },
  },
  components: { schemas: { Thing: schema as Description['components']['schemas'][string] } },
});

test('an operation has its path, query, body and answer; signing in is left out', () => {
  const text = generateTypes(described({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }));
  assert.match(text, /export type Thing = \{\n {2}n: number;\n\};/);
  assert.match(text, /path: \{\n {6}id: string;\n {4}\};/);
  assert.match(text, /'some-word'\?: 'a' \| 'b\\'';/);
  assert.match(text, /body: string;\n {4}answer: Thing;/);
  assert.match(text, /makeThing: \{ method: 'POST', path: '\/things\/\{id\}', sends: 'yaml' \}/);
  assert.doesNotMatch(text, /signIn/);
});

test('alternatives within lists and intersections keep their brackets', () => {
  const either = { anyOf: [{ type: 'object', properties: { a: { const: 1 } } }, { type: 'string' }] };
  const text = generateTypes(described({ allOf: [either, { type: 'array', items: either }] }));
  assert.match(
    text.replaceAll(/\s+/g, ' '),
    /Thing = \(\{ a\?: 1; \} \| string\) & \(\(\{ a\?: 1; \} \| string\)\[\]\);/,
  );
});

test('unsupported schemas are refused instead of guessed', () => {
  assert.throws(() => generateTypes(described({ type: 'object', patternProperties: {} })), /patternProperties/);
  assert.throws(() => generateTypes(described({ type: 'tuple' })), /tuple/);
});

test('the client with its imports is less than 20 kB, and needs no Node modules', async () => {
  const bundle = await rolldown({
    input: 'src/client/client.ts',
    cwd: `${import.meta.dirname}/../..`,
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  assert.equal(output.length, 1);
  const { code } = output[0];
  assert.ok(code.length < 20_000, `${code.length} bytes`);
  assert.doesNotMatch(code, /["']node:|\bprocess\.|\bBuffer\b/);
});
