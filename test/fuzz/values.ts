/** Values of parameters and headers: such as fit, and such as have broken something somewhere. */
import fc from 'fast-check';
import { nasty } from './documents.ts';
import type { Known, Schema } from './operations.ts';

export type Value = (known: Known, session: number) => string;

export const anything = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const someText: fc.Arbitrary<Value> = anything.map((text) => () => text);
const sessionToken: fc.Arbitrary<Value> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constant<Value>(({ tokens }, session) => tokens[session % tokens.length]?.token ?? 'none'),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (index): Value =>
        ({ dead }) =>
          dead[index % dead.length] ?? 'none',
    ),
  },
  { weight: 1, arbitrary: fc.constant<Value>(() => `berth_${'x'.repeat(32)}`) },
  { weight: 1, arbitrary: someText },
);
const applicationName: fc.Arbitrary<Value> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constant<Value>(({ tokens }, session) => tokens[session % tokens.length]?.name ?? 'none'),
  },
  { weight: 1, arbitrary: fc.constant<Value>(() => 'planted-name') },
  { weight: 1, arbitrary: someText },
);

const claimToken: fc.Arbitrary<Value> = fc.nat().map(
  (index): Value =>
    ({ claims }) =>
      claims[index % claims.length] ?? 'claim_none',
);

/** Valid values, by name. */
const fitting: Record<string, string[]> = {
  tail: ['0', '1', '100', '9999'],
  since: ['10m', '1d', '2026-01-01T00:00:00Z'],
  pod: ['web', 'db'],
  'last-event-id': ['0', '1', '999999999'],
  email: ['ada@example.com', 'eve@example.com'],
  password: ['correct horse battery'],
  newPassword: ['correct horse battery'],
  provider: ['github', 'oidc'],
  'idempotency-key': ['a-key-of-some-length', 'another-key-of-some-length'],
};

export function valueFor(name: string, schema: Schema): fc.Arbitrary<Value> {
  if (name === 'sessionToken') return sessionToken;
  if (name === 'applicationName') return applicationName;
  if (name === 'token') return claimToken;
  const known = fc.constantFrom(...(schema.enum ?? fitting[name] ?? nasty)).map(
    (text): Value =>
      () =>
        text,
  );
  return fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: someText });
}

/** Mostly once, or mostly not at all; now and then twice. */
export function timesOf(isLikely: boolean): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: isLikely ? 12 : 3, arbitrary: fc.constant(1) },
    { weight: isLikely ? 2 : 12, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constant(2) },
  );
}

export const contentTypes = [
  ...['text/x-yaml', 'text/yaml', 'application/yaml', 'text/plain; charset=utf-8', 'application/json'],
  ...['application/json; charset=utf-16', 'APPLICATION/JSON', 'application/xml', 'multipart/form-data; boundary=x', ''],
  ...['application/x-www-form-urlencoded', 'text/x-yaml, application/json', '/', ';', 'application/json;;;=', 'a/b/c'],
];
const furtherHeaders: [name: string, value: fc.Arbitrary<string>][] = [
  ['Accept', fc.constantFrom('*/*', 'text/html', 'text/event-stream', 'application/json;q=0', '')],
  ['Accept-Encoding', fc.constantFrom('gzip', 'br', 'identity;q=0')],
  ['Content-Encoding', fc.constantFrom('gzip', 'deflate', 'x')],
  ['Expect', fc.constantFrom('100-continue', '200-ok')],
  ['Range', fc.constantFrom('bytes=0-1', 'bytes=-1')],
  ['If-None-Match', fc.constantFrom('*', '"x"')],
  ['Authorization', fc.constantFrom('Bearer', 'Bearer ', 'Bearer  x', 'Basic eDp5', 'bearer x y', 'Bearer berth_')],
  ['Cookie', fc.constantFrom('a=b', '__proto__=1', ';;;')],
  ['Origin', fc.constantFrom('null', 'https://evil.example', 'http://localhost')],
  ['Idempotency-Key', fc.constantFrom('a-key-of-some-length', 'another-key-of-some-length')],
  ['Last-Event-ID', fc.constantFrom('0', '1', '999999999', '9999999999', '-1', 'x')],
  ['Berth-Proof-Of-Work', fc.constantFrom('e30', 'x', 'bnVsbA')],
  ['X-Forwarded-For', fc.constantFrom('192.0.2.1', 'x')],
  ['X-Request-Id', fc.constantFrom('x', '\x01')],
];
const someHeaders = fc
  .subarray(furtherHeaders, { minLength: 1, maxLength: 3 })
  .chain((chosen) => fc.tuple(...chosen.map(([name, value]) => value.map((text): [string, string] => [name, text]))));
export const headers: fc.Arbitrary<[string, string][]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<[string, string][]>([]) },
  { weight: 1, arbitrary: someHeaders },
);
