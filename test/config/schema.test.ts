/** The schema as editors use it: complete, and of one mind with the validation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { parseConfiguration } from '../../src/config/parse.ts';
import { ConfigurationSchema } from '../../src/config/schema/schema.ts';
import { docs } from './realistic.ts';

type Node = {
  description?: string;
  examples?: unknown[];
  default?: unknown;
  pattern?: string;
  properties?: Record<string, Node>;
  required?: string[] | undefined;
  items?: Node;
  anyOf?: Node[];
  type?: string;
};

/** Every field with its path, below lists and alternatives too. */
function* fieldsOf(node: Node, path = ''): Generator<{ path: string; field: Node; isRequired: boolean }> {
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    yield { path: `${path}.${name}`, field, isRequired: node.required?.includes(name) ?? false };
    yield* fieldsOf(field, `${path}.${name}`);
  }
  if (node.items) yield* fieldsOf(node.items, `${path}[]`);
  for (const [index, branch] of (node.anyOf ?? []).entries()) yield* fieldsOf(branch, `${path}|${index}`);
}

const fields = [...fieldsOf(ConfigurationSchema as Node)];

test('the schema is JSON Schema 2020-12, and a strict reader of it finds nothing to complain about', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['x-says'] });
  assert.equal(ajv.validateSchema(ConfigurationSchema), true);
  ajv.compile(ConfigurationSchema);
});

test('every field has a description; every value has an example that is valid', () => {
  assert.ok(fields.length > 50);
  const ajv = new Ajv2020({ strict: false });
  for (const { path, field } of fields) {
    assert.ok(field.description, `${path} has no description`);
    const isCollection = field.type === 'array' || field.type === 'object';
    assert.ok(isCollection || field.examples?.length, `${path} has no example`);
    const validate = ajv.compile(field);
    for (const example of field.examples ?? []) assert.ok(validate(example), `${path}: ${JSON.stringify(example)}`);
    if (field.default !== undefined) assert.ok(validate(field.default), `${path}: the default`);
  }
});

test('what a strict reader of the schema accepts is accepted here', () => {
  const validate = new Ajv2020({ strict: false }).compile(ConfigurationSchema);
  let agreed = 0;
  for (const { text, title } of docs) {
    const parsed = parseConfiguration(text);
    if (parsed.kind === 'unparsable' || !validate(parse(text, { merge: true }))) continue;
    const shape = parsed.diagnostics.filter(({ code }) => code === 'wrong-type' || code === 'bad-value');
    assert.deepEqual(shape, [], title);
    agreed += 1;
  }
  assert.ok(agreed > 15);
});
