/** When to renew is the authority's to say, where it says so (RFC 9773). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { shownSerial } from '../support/tls.ts';
import { startHttps } from './https-service.ts';
import { type RenewalInfo, startRenewalInfo } from './renewal-info.ts';

const day = 24 * 3_600_000;

test('a certificate is renewed in the window that the authority suggests, and the order names the one that it replaces', async (t) => {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  let authority: RenewalInfo | undefined;
  const service = await startHttps(
    t,
    {},
    {
      now,
      before: async (pebble) => {
        authority = await startRenewalInfo(pebble);
        authority.suggest(now() + 80 * day, now() + 81 * day);
        return authority;
      },
    },
  );
  const { asked, replaced, suggest, close } = authority!;
  t.after(close);
  const shown = () => shownSerial(service.httpsPort, 'berth.test').catch(() => undefined);
  const first = await until('the first certificate is shown', shown);
  await until('the renewal time is requested', async () => asked.length > 0 || undefined);
  const [issuer, serial] = asked[0]!.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
  assert.equal(BigInt(`0x${serial}`), BigInt(`0x${first}`));
  assert.match(issuer!, /^[0-9a-f]{40}$/);

  // Two thirds of its life are over. No renewal information is requested while an order is pending.
  ahead = 62 * day;
  await until('it is requested again', async () => asked.length > 1 || undefined);
  assert.equal(service.pebble.issued(), 1, 'the window is later');

  // As an authority does that has to revoke what it has issued.
  suggest(now() - day, now());
  ahead += day;
  await until('it is renewed at once', async () => {
    const serial = await shown();
    return (serial !== undefined && serial !== first) || undefined;
  });
  assert.equal(service.pebble.issued(), 2);
  // Pebble refuses one nonce in twenty on purpose, and the request is repeated.
  assert.deepEqual([...new Set(replaced)], [undefined, asked[0]]);
});
