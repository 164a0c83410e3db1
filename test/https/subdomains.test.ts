/** A pod with `subdomain:` is reached at that name below the custom domain, and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { domainWorld } from './domain-owner.ts';
import { document } from './https-service.ts';

const withAdmin = `${document.replace('  name: hello', '  name: hello\n  url: example.test')}    - name: admin
      image: nginx:1
      path: /
      subdomain: admin
      servicePorts: [80]
`;

test('a pod of a subdomain is served at its own name once that is proven, and the others at theirs', async (t) => {
  const { records, service, ada } = await domainWorld(t, { document: withAdmin });
  const client = await service.client();
  const podAt = async (host: string) => {
    const { status, body } = await client.ask({ host: `${host}:${service.httpsPort}`, path: '/x' });
    return status === 200 ? /^Pod (\w+)/m.exec(body)?.[1] : status;
  };
  const named = await ada.list();
  assert.deepEqual(
    named.map(({ domain, state }) => `${domain} ${state}`).toSorted(),
    ['admin.example.test pending', 'example.test pending'],
    'the claim has added what the document names',
  );
  for (const { domain, records: wanted } of named) {
    records[`TXT _berth.${domain}`] = [wanted[0]!.value];
    records[`A ${domain}`] = ['127.0.0.1'];
  }
  for (const { domain } of named) await ada.reach(domain, 'live');
  const expected = { [ada.host]: 'web', 'example.test': 'web', 'admin.example.test': 'admin' };
  for (const [host, pod] of Object.entries(expected))
    await until(`${host} shows ${pod}`, async () => (await podAt(host).catch(() => undefined)) === pod || undefined);
});
