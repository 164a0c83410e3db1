/**
 * A tenant's page under the domain of the API: its cookies in a visitor's browser do not sign the visitor in as the
 * tenant.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiWithAccounts, password } from '../accounts/people.ts';

const origin = 'https://berth.example.net';

test('the sign-in of an attacker, planted with Domain=example.net, makes no visitor act for his account', async () => {
  const api = await apiWithAccounts({ baseUrl: new URL(origin) }, { baseUrl: new URL(origin) });
  const headers = { origin, host: 'berth.example.net', 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'eve', email: 'eve@example.com', password });
  const answer = await api.send('POST', '/api/auth/sign-up/email', body, headers);
  const [name = '', value] = String([answer.headers['set-cookie']].flat()[0]).split(';')[0]!.split('=');
  const account = (cookie: string) => api.send('GET', '/api/account', undefined, { host: headers.host, cookie });
  assert.equal((await account(`${name}=${value}`)).status, 200, 'it is a sign-in');

  // Browsers let a page set a domain for every cookie name except those with `__Host-`, in upper or lower case.
  const bare = name.replace(/^__(host|secure)-/i, '');
  const planted = [bare, `__Secure-${bare}`, ...(/^__host-/i.test(name) ? [] : [name])];
  for (const each of planted) assert.equal((await account(`${each}=${value}`)).status, 401, each);
});
