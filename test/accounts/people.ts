/** The API with real accounts over a database in memory, and people with browsers: each keeps its own cookies. */
import assert from 'node:assert/strict';
import { type AccountSettings, openAccounts } from '../../src/accounts/open.ts';
import type { ApiSettings, Service } from '../../src/api/api-service.ts';
import { testApi } from '../support/api.ts';

let browsers = 0;

const origin = 'http://localhost:8080';

export const password = 'correct horse battery';

export async function apiWithAccounts(
  settings: Partial<AccountSettings> = {},
  apiSettings: Partial<ApiSettings> = {},
  db?: Service['db'],
  seal?: Service['seal'],
) {
  const api = await testApi(
    apiSettings,
    ({ db, seal, log, now }) =>
      openAccounts({
        db,
        seal,
        log,
        now,
        settings: {
          baseUrl: new URL(origin),
          otherOrigins: [],
          signUp: 'open',
          ...settings,
        },
      }),
    db,
    seal,
  );

  /** A browser that is at the dashboard, from an address of its own. */
  function browser(address = `2001:db8:${(++browsers).toString(16)}::1`) {
    const cookies = new Map<string, string>();
    const send = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, headers: object = {}) => {
      const all = {
        origin,
        host: 'localhost:8080',
        'x-berth-client': address,
        ...(body && { 'content-type': 'application/json' }),
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...headers,
      };
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const answer = await api.send(method, path, body && JSON.stringify(body), sent);
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [name, value] = line.split(';')[0]!.split('=') as [string, string];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    };
    return {
      cookies,
      get: (path: string, headers?: object) => send('GET', path, undefined, headers),
      post: (path: string, body: object = {}, headers?: object) => send('POST', path, body, headers),
      delete: (path: string) => send('DELETE', path),
      signUp: (email: string) =>
        send('POST', '/api/auth/sign-up/email', { name: email.split('@')[0], email, password }),
      signIn: (email: string, given = password) => send('POST', '/api/auth/sign-in/email', { email, password: given }),
    };
  }

  return {
    ...api,
    browser,
    /** A browser that has just signed up. */
    async person(email: string) {
      const person = browser();
      const { status, body } = await person.signUp(email);
      assert.equal(status, 200, JSON.stringify(body));
      return person;
    },
    /** The path of a new claim link of the session's application. */
    async claimPath(sessionToken: string, applicationName = 'shop'): Promise<string> {
      const { status, body } = await api.postJson('/claimDeployment', { applicationName, sessionToken });
      assert.equal(status, 200, JSON.stringify(body));
      return new URL(body.claimUrl).pathname;
    },
  };
}

export type ApiWithAccounts = Awaited<ReturnType<typeof apiWithAccounts>>;
