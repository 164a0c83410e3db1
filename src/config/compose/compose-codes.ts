/** Codes that only Compose files have, or that have another meaning there. docs/reference/diagnostics.md lists them. */
import type { Code } from '../diagnostics/diagnostic-codes.ts';

export const composeCodes = {
  // The form.
  'compose-without-services': 'The services are at the top level, as in the first version of Compose files.',
  'no-services': 'The document has no services, or all are left out.',
  'not-a-map': 'A map is expected.',
  'not-a-scalar': 'A single value is expected instead of a map or list.',
  'not-a-number': 'A whole number is expected.',
  'too-many-services': 'An application has at most 50 services.',
  'name-default': '`name` is missing: the application is called `app`.',
  'renamed-application': 'The name of the application is not valid and has been changed.',
  'renamed-service': 'The name of the service is not valid and has been changed; the original name still resolves.',
  'left-out': 'A service does not run: it has a profile, or no replicas.',
  'taken-as-job': 'A service without ports is a job if its script ends in `exit 0`: it runs once.',

  // Not on a shared host.
  unsupported: 'The key is not supported.',
  ignored: 'The key has no effect.',
  'bind-mount': 'A path of the host cannot be mounted.',
  'docker-socket': "The engine's socket cannot be mounted.",
  external: 'Something outside of the application cannot be reached.',
  'build-without-image': 'A service has `build`, but the document does not contain its source.',
  'missing-image': 'A service has no image.',
  'incomplete-image': 'A variable in the name of an image has no value.',
  'image-without-tag': 'An image without a tag means `latest`.',
  'extends-file': 'A file that is extended is not part of the document.',
  'extends-cycle': 'Services extend each other in a cycle.',
  'env-file': 'A file with variables is not part of the document.',
  'config-file': 'The file of a config is not part of the document.',
  'secret-file': 'The file of a secret is not part of the document.',
  'unknown-config': 'The config does not exist.',
  'unknown-secret': 'The secret does not exist.',
  'unknown-service': 'The service does not exist.',
  'undeclared-volume': 'A volume is not in the top-level `volumes`.',
  'volume-path': 'A data directory has moved with a version of the image.',

  // Variables.
  'bad-interpolation': `A \`\${…}\` cannot be read.`,
  'required-variable': `A \`\${NAME:?…}\` has no value.`,

  // Values.
  'bad-port': 'The value is not a valid port.',
  'too-many-ports': 'A service has more than 50 ports.',
  'bad-path': 'The value is not a valid path.',
  'bad-condition': 'The condition of a dependency is unknown.',
  'bad-cpus': 'The value is not a valid number of CPUs.',
  'bad-size': 'The value is not a valid size.',
  'bad-duration': 'The value is not a valid duration.',
  'bad-user': 'The value is not a valid user.',
  'too-many-replicas': 'A service has more than 20 replicas.',

  // Routes and readiness.
  'behind-proxy': 'A published service that a proxy in front waits for is reached only through the proxy.',
  'further-route': 'A further published service is at `/<service>`.',
  'further-port': 'A further port of a service is not published.',
  'local-port': 'A port is published on 127.0.0.1 or a private address: it stays internal if another port is public.',
  'not-http': 'A port that does not serve HTTP is not published.',
  'not-tcp': 'A port that does not use TCP is not published.',
  'https-port': 'The service sends HTTP to an HTTPS port.',
  'store-not-public': 'A data store is not published.',
  'public-store': 'A data store is published because no other port is.',
  healthcheck: 'The test of a health check cannot be read.',
} as const;

export type ComposeCode = keyof typeof composeCodes | Code;
