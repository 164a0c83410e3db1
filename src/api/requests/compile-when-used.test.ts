import assert from 'node:assert/strict';
import { test } from 'node:test';
import compileValidators from '@fastify/ajv-compiler';
import compileSerializers from '@fastify/fast-json-stringify-compiler';
import { testApi } from '../../../test/support/api.ts';
import { compilersFactory } from './compile-when-used.ts';

test('every schema of a request or an answer is a valid one, and compiles', async (t) => {
  const compiled = { validators: 0, serializers: 0 };
  const { buildValidator, buildSerializer } = compilersFactory;
  t.mock.method(compilersFactory, 'buildValidator', ((schemas, options) => {
    const customOptions = { ...options?.customOptions, validateSchema: true };
    const compile = compileValidators()(schemas, { customOptions });
    return (route) => {
      compiled.validators++;
      compile(route);
      return buildValidator(schemas, options)(route);
    };
  }) satisfies typeof buildValidator);
  t.mock.method(compilersFactory, 'buildSerializer', ((schemas, options) => {
    const compile = compileSerializers()(schemas, options);
    return (route) => {
      compiled.serializers++;
      compile(route);
      return buildSerializer(schemas, options)(route);
    };
  }) satisfies typeof buildSerializer);
  const { app } = await testApi();
  await app.ready();
  assert.ok(compiled.validators > 30 && compiled.serializers > 40, JSON.stringify(compiled));
});
