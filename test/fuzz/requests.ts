/** Requests that are generated from the description of the API, the same with errors, and invalid bytes. */
import fc from 'fast-check';
import { document } from './documents.ts';
import { type Operation, type Plan, type Schema, write } from './operations.ts';
import { registryRequests } from './registry-requests.ts';
import { anything, contentTypes, headers, timesOf, valueFor } from './values.ts';

/** Sign-in is described without its fields. */
const signInFields = [
  'email',
  'password',
  'name',
  'newPassword',
  'currentPassword',
  'token',
  'provider',
  'callbackURL',
];

export function requests(operations: Operation[]): fc.Arbitrary<Plan> {
  const byRequest = fc.oneof(
    ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: described(operation) })),
  );
  return fc.oneof(
    { weight: 8, arbitrary: byRequest },
    { weight: 3, arbitrary: registryRequests },
    { weight: 2, arbitrary: garbage(operations) },
  );
}

/** Starts feed all others; a password takes a tenth of a second to hash. */
function weightOf({ path }: Operation): number {
  if (path === '/startUserDeployment') return 24;
  return path.startsWith('/api/auth/') ? 1 : 8;
}

/** Requests of the right form with arbitrary values. */
function described(operation: Operation): fc.Arbitrary<Plan> {
  const { bodies } = operation;
  const isDocument = 'text/x-yaml' in bodies;
  const hasBody = operation.method === 'POST';
  const contentType = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('application/json', ...Object.keys(bodies)) },
    { weight: 1, arbitrary: fc.constantFrom(...contentTypes) },
  );
  return fc
    .record({
      given: givenTo(operation),
      headers,
      document,
      session: fc.nat(),
      caller: fc.constantFrom(...callers),
      contentType: hasBody ? contentType : fc.constant(undefined),
      form: fc.constantFrom(...forms),
    })
    .map(
      ({ given, headers, document, session, caller, contentType, form }): Plan =>
        (known) => {
          const own = known.tokens[session % known.tokens.length];
          const { cookie, origin } = known.signedIn;
          const valued = given.flatMap(({ name, place, times, value }) =>
            Array.from({ length: times }, () => ({ name, place, text: value(known, session) })),
          );
          const at = (wanted: string) => valued.filter(({ place }) => place === wanted);
          const query = at('query').map(({ name, text }) => `${name}=${encode(text)}`);
          const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
            encode(at('path').find((each) => each.name === name)?.text ?? ''),
          );
          const lines = [...headers, ...at('header').map(({ name, text }): [string, string] => [name, text])];
          if (caller === 'session' && own) lines.push(['Authorization', `Bearer ${own.token}`]);
          if (caller === 'account') lines.push(['Cookie', cookie], ['Origin', origin]);
          if (contentType !== undefined) lines.push(['Content-Type', contentType]);
          const fields = Object.fromEntries(at('body').map(({ name, text }) => [name, text]));
          const body = isDocument ? inForm(document(own?.name ?? 'shop'), form) : hasBody ? JSON.stringify(fields) : '';
          const target = `${path}${query.length ? `?${query.join('&')}` : ''}`;
          const bytes = write(operation.method, target, lines, form === 'cut' ? body.slice(0, body.length / 2) : body);
          return { operation, bytes, ...(own && { token: own.token }) };
        },
    );
}

/** As whom. */
const callers = ['given', 'given', 'given', 'given', 'session', 'account'] as const;
const forms = ['plain', 'plain', 'plain', 'plain', 'field', 'wrapped', 'cut'] as const;

/** A value for each parameter and field, and how often it is there. */
function givenTo({ path, parameters, bodies }: Operation) {
  const field = (name: string, place: string, schema: Schema) => {
    // A start without a token makes a session of its own.
    const isLikely = name === 'sessionToken' ? path !== '/startUserDeployment' : name === 'applicationName';
    const isCertain = place === 'path';
    return fc.record({
      name: fc.constant(name),
      place: fc.constant(place),
      value: valueFor(name, schema),
      times: isCertain ? fc.constant(1) : timesOf(isLikely),
    });
  };
  const properties = Object.values(bodies).flatMap(({ properties = {} }) => Object.entries(properties));
  const signIn = path.startsWith('/api/auth/') ? signInFields : [];
  return fc.tuple(
    ...parameters.map(({ name, in: place, schema }) => field(name, place, schema)),
    ...properties.map(([name, schema]) => field(name, 'body', schema)),
    ...signIn.map((name) => field(name, 'body', { type: 'string' })),
  );
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function inForm(document: string, form: (typeof forms)[number]): string {
  if (form === 'field') return JSON.stringify({ application: { name: document } });
  return form === 'wrapped' ? JSON.stringify({ yaml: document }) : document;
}

/** A valid request with some bytes changed, or random bytes. */
function garbage(operations: Operation[]): fc.Arbitrary<Plan> {
  const targets = [
    ...operations.map(({ path }) => path),
    '/',
    '/claim/claim_x',
    '/docs',
    '/openapi.json',
    '/metrics',
    '/healthz',
    '/readyz',
    '/v2/',
    '/v2/x/y/blobs/uploads/',
    '/%zz',
    '*',
  ];
  const methods = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'BREW', 'get', ''];
  const request = fc
    .record({
      method: fc.constantFrom(...methods),
      target: fc.constantFrom(...targets),
      suffix: fc.oneof(
        fc.constant(''),
        anything.map((text) => `/${text}`),
        anything.map((text) => `?${text}`),
      ),
      headers,
      document,
    })
    .map(({ method, target, suffix, headers, document }) =>
      write(method, target + suffix, headers, method === 'GET' ? '' : document('shop')),
    );
  const changed = fc
    .tuple(request, fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.nat(2) }), { maxLength: 5 }))
    .map(([bytes, changes]) =>
      changes.reduce((text, { at, byte, kind }) => {
        const from = at % (text.length + 1);
        return Buffer.concat([
          text.subarray(0, from),
          ...(kind ? [Buffer.from([byte])] : []),
          text.subarray(from + (kind === 1 ? 0 : 1)),
        ]);
      }, bytes),
    );
  const raw = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  return fc
    .oneof({ weight: 3, arbitrary: request }, { weight: 3, arbitrary: changed }, { weight: 1, arbitrary: raw })
    .map(
      (bytes): Plan =>
        () => ({ bytes }),
    );
}
