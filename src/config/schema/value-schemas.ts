/** The small parts of the configuration's schema: texts with a pattern, quantities, ports. */
import { type TProperties, type TSchemaOptions, Type } from 'typebox';

/**
 * An object with known fields and extensions (`x-…`). Other fields are reported as warnings, and editors underline
 * them.
 */
export const closed = <T extends TProperties>(properties: T, options: TSchemaOptions) =>
  Type.Object(properties, { additionalProperties: false, patternProperties: { '^x-': {} }, ...options });

/** Sets the message for a violation. Other readers of JSON Schema ignore it. */
export const withMessage = (words: string) => ({ 'x-says': words });

const absolutePathPattern = '^/[^\\u0000-\\u001f]*$';
const filePathPattern = '^/[^\\u0000-\\u001f]*[^/\\u0000-\\u001f]$';
const fileNamePattern = '^(?!\\.{1,2}$)[^/\\u0000-\\u001f]+$';
/** RFC 1123: at most 63 characters, as every name in DNS. */
export const labelPattern = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$';

export const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
  description: 'A text. Numbers and booleans keep their written form. No value is an empty text.',
  examples: ['production', 3000, true],
  ...withMessage('must be a single value'),
});

const varNamePattern = '^[^=\\u0000]+$';

export const Vars = Type.Union(
  [
    Type.Record(Type.String({ pattern: varNamePattern }), Scalar),
    Type.Array(
      closed(
        {
          key: Type.String({ pattern: varNamePattern, description: 'Name of the variable.', examples: ['NODE_ENV'] }),
          value: Type.Optional(Scalar),
        },
        { description: 'One variable.' },
      ),
    ),
    Type.Array(Type.Record(Type.String({ pattern: varNamePattern }), Scalar, { minProperties: 1, maxProperties: 1 })),
  ],
  {
    description:
      'Environment variables: a map, or a list of `key` and `value`. `<% URL %>` and the other scriptlets are ' +
      'replaced in the values, and `${NAME}` by the variable of that name. Other pods are reached as `<pod>.pod`.',
    examples: [{ NODE_ENV: 'production', API_URL: '<% URL %>/api' }],
    default: {},
    ...withMessage('must be a map of names to single values'),
  },
);

export const Command = (description: string, example: string | string[]) =>
  Type.Union(
    [Type.String(), Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { maxItems: 1000 })],
    {
      description,
      examples: [example],
      ...withMessage('must be a text or a list of at most 1000 texts'),
    },
  );

export const Cpu = Type.Union(
  [
    Type.String({ pattern: '^(?:\\d{1,6}m|\\d{1,3}(?:\\.\\d{1,3})?)$' }),
    Type.Number({ minimum: 0.001, exclusiveMaximum: 1000 }),
  ],
  {
    description: 'Processors: a number of cores, or thousandths of one with an `m`.',
    examples: ['500m', '1', 0.5],
    ...withMessage('must be cores such as 0.5 or thousandths such as 500m, less than 1000 cores'),
  },
);

const sizePattern = '^\\d{1,15}(?:\\.\\d{1,3})?(?:[kKMGT]i?|[KMGT]i?B)?$';

export const Size = (description: string, example: string, options: TSchemaOptions = {}) =>
  Type.Union([Type.String({ pattern: sizePattern }), Type.Integer({ minimum: 1 })], {
    description: `${description} Units: \`Ki\`, \`Mi\`, \`Gi\`, \`Ti\` (1024), \`k\`, \`M\`, \`G\`, \`T\` (1000).`,
    examples: [example],
    ...options,
    ...withMessage('must be a size such as 512Mi or 1Gi'),
  });

export const Port = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 65535,
    description,
    examples: [3000],
    ...withMessage('must be a port from 1 to 65535'),
  });

export const Text = (description: string, example: string, options: TSchemaOptions = {}) =>
  Type.String({ description, examples: [example], ...options });

export const AbsolutePath = (description: string, example: string) =>
  Text(description, example, { pattern: absolutePathPattern, ...withMessage('must be an absolute path') });

export const FilePath = (description: string, example: string) =>
  Text(description, example, { pattern: filePathPattern, ...withMessage('must be an absolute path of a file') });

export const FileName = (description: string, example: string) =>
  Text(description, example, { pattern: fileNamePattern, ...withMessage('must be a file name without a slash') });

export const Count = (description: string, minimum: number, maximum: number, standard: number) =>
  Type.Integer({
    minimum,
    maximum,
    default: standard,
    description,
    examples: [standard],
    ...withMessage(`must be a whole number from ${minimum} to ${maximum}`),
  });
