/** Any event of the schema, for tests. */
import fc from 'fast-check';
import { type DeploymentEvent, eventSchemas } from '../../src/deployment/event/event.ts';

type Schema = {
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  type?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** All kinds are as likely as any other. */
export const anyEvent = fc.oneof(
  ...Object.values(eventSchemas).map((schema) => anyOf(schema as Schema)),
) as fc.Arbitrary<DeploymentEvent>;

function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(anyOf));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return fc.string({ unit: 'grapheme' });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 45 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(anyOf(schema.items!), { maxLength: 4 });
    case 'object': {
      const fields = Object.entries(schema.properties!).map(([name, field]) => [name, anyOf(field)]);
      return fc.record(Object.fromEntries(fields), {
        requiredKeys: (schema.required ?? []) as never[],
        noNullPrototype: true,
      });
    }
    default:
      throw new Error(`no value of ${JSON.stringify(schema)} can be made up`);
  }
}
