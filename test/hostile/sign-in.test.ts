/** Attacks by links that another user has sent. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMailServer } from '../accounts/mail-server.ts';
import { apiWithAccounts } from '../accounts/people.ts';

const server = await startMailServer();
after(() => server.close());

test('a link that verifies an address does not sign in, even if its owner has sent it to another person', async () => {
  const api = await apiWithAccounts({ mail: { smtpUrl: server.url, mailFrom: 'berth@example.com' } });
  await api.browser().signUp('eve@example.com');
  const { pathname, search } = await server.linkTo('eve@example.com');
  // A claim of the victim in this browser would go to the attacker.
  const victim = api.browser();
  const opened = await victim.get(`${pathname}${search}`);
  assert.deepEqual([opened.headers['set-cookie'], victim.cookies.size], [undefined, 0]);
  assert.equal((await victim.get('/api/account')).status, 401);
  assert.equal((await api.browser().signIn('eve@example.com')).status, 200, 'the address is verified all the same');
});
