/**
 * One certificate for all applications by a record that stays in DNS (dns-persist-01). Debian's pebble does not know it
 * yet: what stands before it offers the challenge, and looks for the record that the draft describes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { shownSerial } from '../support/tls.ts';
import { startHttps } from './https-service.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

const day = 24 * 3_600_000;

/** Its words of a challenge, in the place of pebble's. */
type Authorization = { identifier: { value: string }; challenges: { type: string; url: string; token?: string }[] };

test('the operator reads which record to set, and with it there is a wildcard that is renewed by itself', async (t) => {
  let ahead = 0;
  const records = new Map<string, string>();
  const proven = new Map<string, string>();
  let standIn: StandIn | undefined;
  const service = await startHttps(
    t,
    { BERTH_ACME_DNS: 'persist' },
    {
      now: () => Date.now() + ahead,
      isTrusting: true,
      before: async (pebble) => {
        standIn = await startStandIn(pebble, {
          answer({ path }, response) {
            const name = proven.get(path);
            if (name === undefined || isProof(records.get(name))) return false;
            response.writeHead(403, { 'Content-Type': 'application/problem+json' });
            const problem = { type: 'urn:ietf:params:acme:error:unauthorized', detail: `No record at ${name}` };
            response.end(JSON.stringify(problem));
            return true;
          },
          change(_, said) {
            if (!('challenges' in said) || !('wildcard' in said)) return undefined;
            const { identifier, challenges } = said as Authorization & { wildcard: true };
            const offered = challenges.map(({ token: _, ...challenge }) => {
              proven.set(new URL(challenge.url).pathname, `_validation-persist.${identifier.value}`);
              return { ...challenge, type: 'dns-persist-01', 'issuer-domain-names': ['authority.test'] };
            });
            return { ...said, challenges: offered };
          },
        });
        return standIn;
      },
    },
  );
  t.after(standIn!.close);
  const reported = await until('the records to set are reported', async () => {
    return /set the TXT record (\S+) to \\"(authority\.test; accounturi=\S+; policy=wildcard)\\"/.exec(
      await service.log(),
    );
  });
  const [, name, value] = reported;
  assert.equal(name, '_validation-persist.apps.test');
  const host = await service.deploy();
  const shown = () => shownSerial(service.httpsPort, host).catch(() => undefined);
  assert.equal(await shown(), undefined);
  records.set(name!, value!);
  // The next try is due.
  ahead += 5 * 60_000;
  const first = await until('it is served', shown);
  const client = await service.client();
  await until('a page is served with it', async () => {
    const page = await client.ask({ host: `${host}:${service.httpsPort}` }).catch(() => undefined);
    return page?.status === 200 || undefined;
  });
  ahead += 60 * day;
  await until('it is renewed', async () => {
    const serial = await shown();
    return (serial !== undefined && serial !== first) || undefined;
  });
});

/** For one account only: a copied record is useless for another account. */
function isProof(record: string | undefined): boolean {
  return (
    record !== undefined &&
    /^authority\.test; accounturi=https:\/\/127\.0\.0\.1:\d+\/my-account\/[0-9a-f]+; policy=wildcard$/.test(record)
  );
}
