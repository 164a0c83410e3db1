/** Looking things up in the schema of the configuration. Pure. */
import { serviceKeys, topLevelKeys } from '../../../src/config/compose/key-table.ts';
import { entry } from './cursor.ts';

export type Schema = {
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  required?: readonly string[] | undefined;
  /** The fields that are required unless a condition holds. */
  else?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  /** The schema of keys that users choose. */
  additionalProperties?: Schema | boolean;
};

/** Returns the schemas of a path: one, or several branches. */
export function schemasAt(schema: Schema, path: readonly string[]): Schema[] {
  return path.reduce<Schema[]>((found, step) => found.flatMap((each) => below(each, step)), branchesOf(schema));
}

/** The schema at a path as it is described, before it branches. */
export function describedAt(schema: Schema, path: readonly string[]): Schema | undefined {
  const parents = schemasAt(schema, path.slice(0, -1));
  const step = path.at(-1);
  return step === undefined
    ? schema
    : parents.map((parent) => childOf(parent, step)).find((child) => child !== undefined);
}

function below(schema: Schema, step: string): Schema[] {
  const child = childOf(schema, step);
  return child ? branchesOf(child) : [];
}

function childOf({ items, properties, additionalProperties }: Schema, step: string): Schema | undefined {
  if (step === entry) return items;
  const own = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return own ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

function branchesOf(schema: Schema): Schema[] {
  return schema.anyOf ? schema.anyOf.flatMap(branchesOf) : [schema];
}

/** `text or list`, as people call the types. */
export function typeOf(schema: Schema): string {
  const names = branchesOf(schema).flatMap(({ type, enum: values }) => (values ? ['one of these'] : (type ?? [])));
  const known: Record<string, string> = {
    string: 'text',
    integer: 'number',
    number: 'number',
    boolean: 'true or false',
    array: 'list',
    object: 'map',
    null: 'nothing',
  };
  return [...new Set(names.map((name) => known[name] ?? name))].join(' or ');
}

const composeEntries = (
  table: Record<string, { outcome: string; says: string }>,
  schemas: Record<string, Schema> = {},
) =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([key, { outcome }]) => outcome !== 'refused' && !key.includes('…'))
      .map(([key, { outcome, says }]) => [key, { description: `${says} (${outcome}).`, ...schemas[key] }]),
  );

/** The keys of a Compose file, with what becomes of each here. */
export const composeSchema: Schema = {
  type: 'object',
  properties: composeEntries(topLevelKeys, {
    services: { type: 'object', additionalProperties: { type: 'object', properties: composeEntries(serviceKeys) } },
  }),
};

/** A document with services at its top is a Compose file. */
export function isComposeText(text: string): boolean {
  return /^services\s*:/m.test(text) && !/^application\s*:/m.test(text);
}
