/**
 * The schema of the configuration document, from which its types, its validation, `GET /schema` and
 * docs/reference/configuration.md are generated. The `x-says` of a field is the message for a violation of its rule.
 */
import { type Static, Type } from 'typebox';
import { applicationNamePattern } from './field-rules.ts';
import { Pod } from './pod-schema.ts';
import { closed, Text, withMessage } from './value-schemas.ts';

/** Most pods of an application. */
const maxPods = 50;

const RegistryLogin = closed(
  {
    registry: Text('Host of the registry. `<% REGISTRY %>` in an image stands for it.', 'ghcr.io', {
      minLength: 1,
      ...withMessage('must be the host of a registry'),
    }),
    username: Text('User name at the registry.', 'my-name', { minLength: 1, ...withMessage('must not be empty') }),
    personalAccessToken: Text('Token (or password) with the right to pull.', 'ghp_0123456789', {
      minLength: 1,
      ...withMessage('must not be empty'),
    }),
  },
  {
    description: 'Credentials for private images, used for the pulls of this application only.',
    examples: [{ registry: 'ghcr.io', username: 'my-name', personalAccessToken: 'ghp_0123456789' }],
  },
);

const Application = closed(
  {
    name: Text('Name of the application; part of its URL.', 'shop', {
      pattern: applicationNamePattern,
      ...withMessage(
        'must be 3 to 64 lower-case letters, digits, dots and hyphens, begin with a letter and end with a letter or digit',
      ),
    }),
    url: Type.Optional(
      Text(
        'A custom domain. It is added once the deployment is claimed, and takes effect once the domain is proven.',
        'shop.example.com',
      ),
    ),
    version: Type.Optional(
      Type.Union([Type.String(), Type.Number()], { description: 'Accepted and not needed.', examples: ['2.0'] }),
    ),
    registryLogin: Type.Optional(RegistryLogin),
    sleep: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether a claimed deployment sleeps while it is not used: its processes are frozen until the next request. Free deployments always sleep.',
        examples: [false],
        ...withMessage('must be true or false'),
      }),
    ),
    pods: Type.Array(Pod, {
      minItems: 1,
      maxItems: maxPods,
      description: 'The pods of the application. At least one has a `path`, unless all are jobs.',
      ...withMessage(`must be a list of 1 to ${maxPods} pods`),
    }),
  },
  { description: 'One application.' },
);

export const ConfigurationSchema = Type.Object(
  { application: Application },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Berth configuration',
    description: 'One application: its pods, their images, routes, variables, files and volumes.',
    additionalProperties: false,
    patternProperties: { '^x-': {} },
    examples: [
      {
        application: {
          name: 'shop',
          pods: [{ name: 'web', image: 'nginx:1', path: '/', servicePorts: [80] }],
        },
      },
    ],
  },
);

/** The document as written, valid by the schema; `config/spec/spec.ts` has the normalised form. */
export type Configuration = Static<typeof ConfigurationSchema>;
