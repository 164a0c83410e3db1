import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { testApi } from '../support/api.ts';
import { playStory, type RecordedStory } from './story.ts';

const file = new URL('../../src/api/description/examples.json', import.meta.url);

test('the examples of the description are what a real service answers, and what its schemas allow', async () => {
  const examples = JSON.parse(await readFile(file, 'utf8')) as RecordedStory;
  const reported = await playStory();
  assert.deepEqual(Object.keys(reported), Object.keys(examples), 'run `node test/api-examples/record.ts`');
  const { body: description } = await (await testApi()).get('/openapi.json?examples=true');
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  ajv.addFormat('email', (text) => text.includes('@'));
  ajv.addSchema(description, 'openapi.json');
  for (const { path, method, operation } of operationsOf(description)) {
    const id = operation.operationId as string;
    const [example, real] = [examples[id], reported[id]];
    if (!example || !real) continue;
    assert.deepEqual(
      membersOf(real.answer),
      membersOf(example.answer),
      `${id}: run \`node test/api-examples/record.ts\``,
    );
    const pointer = [path, method, 'responses', '200', 'content', 'application/json', 'schema'];
    const validate = ajv.compile({ $ref: `openapi.json#/paths/${pointer.map(pointerPart).join('/')}` });
    for (const answer of [example.answer, real.answer])
      assert.ok(validate(answer), `${id}: ${ajv.errorsText(validate.errors)}`);
  }
});

function operationsOf({ paths }: { paths: { [path: string]: { [method: string]: { operationId?: string } } } }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** RFC 6901, within the fragment of an address. */
function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Every member with its path: `reservedDeployments[].status.state`. */
function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => membersOf(each, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value)
    .flatMap(([key, inner]) => membersOf(inner, `${path}.${key}`))
    .sort();
}
