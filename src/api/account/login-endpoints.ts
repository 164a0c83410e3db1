/**
 * Logs in from a terminal (RFC 8628). The terminal shows a code, a signed-in user confirms it in a browser, and the
 * terminal fetches an API key. The key is created only when it is fetched. This does not sign in a browser.
 */
import { randomInt } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { newToken } from '../../lib/ids.ts';
import { printable } from '../../lib/printable.ts';
import { type Problem, type Result, refuse } from '../../lib/problem.ts';
import { addLogin, decideLogin, pollLogin, waitingLogin } from '../../store/logins.ts';
import { write } from '../../store/transaction.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { requireSignedIn } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { makeApiKey, type NewApiKey, roomForKey } from './api-key-endpoints.ts';

/** Long enough to sign up first; short enough that a code obtained by deception soon expires. */
const lifetimeMs = 10 * 60_000;
const intervalMs = 2_000;

/** RFC 8628, section 6.1: no vowels, so that a code does not form a word. Eight letters are 34 bits. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

/** The code as users may type it. Other texts are not codes. */
const UserCodeParams = Type.Object({ code: Type.String({ maxLength: 20 }) });

export function loginEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, now, settings } = service;
  return async (app) => {
    app.post(
      '/api/logins',
      {
        config: { limit: 'sign-in' },
        schema: {
          operationId: 'startLogin',
          summary: 'Request an API key that a person confirms in a browser',
          tags: ['accounts'],
          description:
            'For programs that need an API key (RFC 8628). Show `userCode` and `url` to the user, and poll for the key.',
          access: 'public',
          body: Type.Object({
            machine: Type.String({
              minLength: 1,
              maxLength: 80,
              description: 'The name by which the person recognizes the requesting machine, such as `ada@laptop`.',
            }),
          }),
          response: {
            200: Type.Object({
              deviceCode: Type.String({ description: 'The secret that fetches the key.' }),
              userCode: Type.String({ description: 'The code that the user enters on the page and compares.' }),
              url: Type.String({ format: 'uri', description: 'The page where the person enters the code.' }),
              urlWithCode: Type.String({ format: 'uri', description: 'The same page with the code filled in.' }),
              expiresAt: Type.String({ format: 'date-time' }),
              intervalSeconds: Type.Number({
                description: 'The number of seconds to wait between two requests for the key.',
              }),
            }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => {
        const deviceCode = newToken('login');
        const createdAt = now();
        const expiresAt = createdAt + lifetimeMs;
        const login = {
          deviceCode,
          createdAt,
          expiresAt,
          intervalMs,
          machine: printable(request.body.machine),
          origin: originOf(request, settings),
        };
        let userCode = newUserCode();
        while (!(await addLogin(db, { ...login, userCode }))) userCode = newUserCode();
        const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
        const url = `${settings.baseUrl.origin}/login`;
        return {
          deviceCode,
          userCode: shown,
          url,
          urlWithCode: `${url}?code=${shown}`,
          expiresAt: new Date(expiresAt).toISOString(),
          intervalSeconds: intervalMs / 1000,
        };
      },
    );

    app.get(
      '/api/logins/:code',
      {
        config: { limit: 'sign-in' },
        schema: {
          operationId: 'getLogin',
          summary: 'Get the client that requests an API key with a code',
          tags: ['accounts'],
          description: 'Counts against the limit of sign-ins, so that codes cannot be guessed.',
          access: 'sign-in',
          refusals: ['login_not_found'],
          params: UserCodeParams,
          response: {
            200: Type.Object({
              machine: Type.String({ description: 'The name that the client gave itself.' }),
              address: Type.String({ description: 'The address of the client.' }),
              isFromYourAddress: Type.Boolean({ description: 'Whether this request comes from the same address.' }),
              createdAt: Type.String({ format: 'date-time' }),
              expiresAt: Type.String({ format: 'date-time' }),
            }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => {
        orRefuse(await requireSignedIn(service, request));
        const login = await waitingLogin(db, userCodeOf(request.params.code), now());
        if (!login) throw new RefusedRequest(unknownLogin);
        const { machine, address, client, createdAt, expiresAt } = login;
        return {
          machine,
          address,
          isFromYourAddress: client === originOf(request, settings).client,
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: new Date(expiresAt).toISOString(),
        };
      },
    );

    app.post(
      '/api/logins/:code',
      {
        config: { limit: 'sign-in' },
        schema: {
          operationId: 'decideLogin',
          summary: 'Confirm or refuse a request for an API key',
          tags: ['accounts'],
          description: 'The first decision is final. Counts against the limit of sign-ins.',
          access: 'sign-in',
          refusals: ['login_not_found', 'plan_limit_reached'],
          params: UserCodeParams,
          body: Type.Object({ decision: Type.Union([Type.Literal('approved'), Type.Literal('denied')]) }),
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { decision } = request.body;
        if (decision === 'approved') {
          orRefuse(await roomForKey(db, accountId));
        }
        const decided = { accountId, decision, now: now() };
        if (!(await decideLogin(db, userCodeOf(request.params.code), decided))) throw new RefusedRequest(unknownLogin);
        const done = { approved: 'The client receives an API key of your account.', denied: 'It gets nothing.' };
        return { message: done[decision] };
      },
    );

    app.post(
      '/api/login-key',
      {
        schema: {
          operationId: 'fetchKey',
          summary: 'Get the API key of a confirmed login',
          tags: ['accounts'],
          description:
            'Repeat the request every `intervalSeconds` until the person has decided. Only this response contains the key.',
          access: 'public',
          refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'plan_limit_reached'],
          body: Type.Object({ deviceCode: Type.String({ maxLength: 200 }) }),
          response: {
            200: Type.Object({ id: Type.String(), name: Type.String(), key: Type.String() }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => orRefuse(await fetchKey(service, request.body.deviceCode)),
    );
  };
}

/** Removes the login and creates its key in one transaction. */
async function fetchKey({ db, now }: Service, deviceCode: string): Promise<Result<NewApiKey>> {
  return await write(db, 'all', async (db) => {
    const polled = await pollLogin(db, deviceCode, now());
    switch (polled.state) {
      case 'unknown':
        return refuse('expired_token', 'This login has expired or does not exist.', 'Start another one.');
      case 'waiting':
        return refuse('authorization_pending', 'This login is not confirmed yet.', 'Ask again.');
      case 'too-soon':
        return tooSoon(polled.intervalMs);
      case 'denied':
        return refuse('access_denied', 'The login was refused in the browser.');
      case 'approved':
        return await makeApiKey(db, polled.accountId, { name: `berth on ${polled.machine}`, createdAt: now() });
    }
  });
}

function tooSoon(intervalMs: number): Result<never> {
  const retryAfterSeconds = intervalMs / 1000;
  const { problem } = refuse(
    'slow_down',
    'The request came too soon.',
    `Ask every ${retryAfterSeconds} seconds from now on.`,
  );
  return { ok: false, problem: { ...problem, retryAfterSeconds } };
}

function newUserCode(): string {
  return Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');
}

function userCodeOf(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, '');
}

const { problem: unknownLogin }: { problem: Problem } = refuse(
  'login_not_found',
  'No login is waiting for this code.',
  'The code may be mistyped, used, or expired. Run berth login again.',
);
