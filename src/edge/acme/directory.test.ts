import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeAuthority } from '../../../test/support/certificate.ts';
import { makeAccountKey, openAuthority } from './authority.ts';
import { readDirectory } from './directory.ts';

test('of an authority that is away, broken, or none at all the operator reads which, and one that is well says when to renew', async (t) => {
  const own = await makeAuthority();
  const { key, cert } = await own.issue(['IP:127.0.0.1']);
  let answer = { status: 200, body: '{}' };
  const requested: string[] = [];
  const server = createServer({ key, cert }, ({ url }, response) => {
    requested.push(url!);
    const window = { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00Z' };
    if (url!.startsWith('/renewal/')) {
      response.writeHead(200, { 'Retry-After': '7200', 'Content-Type': 'application/json' });
      return response.end(JSON.stringify({ suggestedWindow: window }));
    }
    return response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const at = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const directory = new URL(`${at}/dir`);
  const read = (root: string | undefined = own.root) => readDirectory(directory, root);

  await assert.rejects(read(), /is not an ACME directory/);
  answer = { status: 200, body: '<html>' };
  await assert.rejects(read(), /is not an ACME directory/);
  answer = { status: 503, body: '' };
  await assert.rejects(read(), /answers with status 503/);
  answer = { status: 200, body: 'x'.repeat(200_000) };
  await assert.rejects(read(), /cannot be reached: its answer has no end/);
  await assert.rejects(readDirectory(directory, cert), /cannot be reached: [A-Z_]+/);
  await assert.rejects(readDirectory(new URL('https://127.0.0.1:9/'), undefined), /cannot be reached: ECONNREFUSED/);
  answer = { status: 200, body: JSON.stringify({ newNonce: `${at}/nonce`, renewalInfo: `${at}/renewal` }) };
  assert.deepEqual(await read(), { renewalInfo: `${at}/renewal` });

  const issuer = openAuthority({ directory, email: undefined, root: own.root }, await makeAccountKey());
  assert.deepEqual(await issuer.suggestion(certificateOfRfc), {
    start: Date.UTC(2030, 0, 1),
    end: Date.UTC(2030, 0, 2),
    retryAfterMs: 7_200_000,
  });
  assert.equal(requested.at(-1), '/renewal/aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  answer = { status: 200, body: JSON.stringify({ newNonce: `${at}/nonce` }) };
  assert.equal(await issuer.suggestion(certificateOfRfc), undefined, 'it does not say');
});

/** The example of RFC 9773, appendix A. */
const certificateOfRfc = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;
