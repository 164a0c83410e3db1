/** The notification choices of the signed-in account, by mail and by webhook. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type NoticeKind, noticeKinds } from '../../deployment/notification/notice.ts';
import { newToken } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import {
  addNotice,
  type Choices,
  choicesOf,
  openedSecret,
  removeWebhook,
  setMailKinds,
  setWebhook,
} from '../../store/notifications.ts';
import { write } from '../../store/transaction.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { requireSignedIn } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';

const Kinds = Type.Array(Type.Enum([...noticeKinds]), {
  maxItems: noticeKinds.length,
  description:
    '`failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed.',
});
const Time = Type.String({ format: 'date-time' });

export const NotificationsRecord = Type.Object({
  mail: Kinds,
  webhook: Type.Optional(
    Type.Object({
      url: Type.String({ format: 'uri' }),
      kinds: Kinds,
      failures: Type.Integer({
        description: 'The number of consecutive notifications that the webhook did not accept.',
      }),
      disabledAt: Type.Optional(
        Type.String({ format: 'date-time', description: 'When the webhook was disabled after repeated failures.' }),
      ),
      answer: Type.Optional(Type.String({ description: 'The result of the last attempt.' })),
      triedAt: Type.Optional(Time),
    }),
  ),
});

const NotificationsBody = Type.Object({
  mail: Type.Optional(Kinds),
  webhook: Type.Optional(
    Type.Union([
      Type.Object({ url: Type.String({ maxLength: 500, description: 'An https address.' }), kinds: Kinds }),
      Type.Null({ description: 'Ends it.' }),
    ]),
  ),
});

export function notificationEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, seal, now } = service;
  return async (app) => {
    app.get(
      '/api/notifications',
      {
        schema: {
          operationId: 'getNotifications',
          summary: 'Get the notification settings of the account',
          tags: ['accounts'],
          description: 'Includes the result of the last webhook call. The secret is not returned again.',
          access: 'sign-in',
          response: { 200: NotificationsRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        return recordOf(await choicesOf(db, accountId));
      },
    );

    app.post(
      '/api/notifications',
      {
        schema: {
          operationId: 'setNotifications',
          summary: 'Change the notification settings of the account',
          tags: ['accounts'],
          description:
            'Omitted fields keep their values. A new webhook address gets a new secret. The same address enables a disabled webhook again.',
          access: 'sign-in',
          body: NotificationsBody,
          response: {
            200: Type.Intersect([
              NotificationsRecord,
              Type.Object({
                secret: Type.Optional(
                  Type.String({
                    description: 'The secret that signs webhook calls. Returned once, for a new address.',
                  }),
                ),
              }),
            ]),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { mail, webhook } = request.body;
        const url = webhook ? orRefuse(readUrl(webhook.url)) : undefined;
        return await write(db, 'all', async (db) => {
          const before = await choicesOf(db, accountId);
          const chosen = { mail: mail ? inOrder(mail) : before.mail, webhook: before.webhook };
          if (mail) await setMailKinds(db, accountId, chosen.mail);
          if (webhook === null) await removeWebhook(db, accountId);
          if (!webhook || url === undefined)
            return recordOf(webhook === null ? { ...chosen, webhook: undefined } : chosen);
          const isKnown = before.webhook?.url === url && openedSecret(before.webhook, seal) !== undefined;
          const secret = isKnown ? undefined : newToken('berthhook');
          const saved = { url, kinds: inOrder(webhook.kinds) };
          await setWebhook(db, seal, accountId, { ...saved, secret });
          const { answer = null, triedAt = null } = (isKnown && before.webhook) || {};
          const record = recordOf({ ...chosen, webhook: { ...fresh, ...saved, answer, triedAt } });
          return { ...record, ...(secret !== undefined && { secret }) };
        });
      },
    );

    app.post(
      '/api/notifications/test',
      {
        config: { limit: 'sign-in' },
        schema: {
          operationId: 'testNotifications',
          summary: 'Send a test to the webhook',
          tags: ['accounts'],
          description: 'The service sends the test once, within a few seconds.',
          access: 'sign-in',
          refusals: ['webhook_not_found'],
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { webhook } = await choicesOf(db, accountId);
        if (!webhook || webhook.disabledAt !== null) throw new RefusedRequest(noWebhook.problem);
        const message = 'This is a test of your webhook.';
        const url = new URL('/account', service.settings.baseUrl).href;
        // Only one at a time: a repeated request before the delivery returns the pending one.
        const notice = { subject: 'test', content: { kind: 'test', message, url } } as const;
        await write(db, 'all', (db) => addNotice(db, accountId, notice, { channels: ['webhook'], now: now() }));
        return { message: 'The test is being sent. GET /api/notifications shows the result.' };
      },
    );
  };
}

/** A webhook that was just saved starts without recorded failures. */
const fresh = { failures: 0, disabledAt: null, secret: null };

function inOrder(kinds: readonly NoticeKind[]): NoticeKind[] {
  return noticeKinds.filter((kind) => kinds.includes(kind));
}

const noWebhook = refuse(
  'webhook_not_found',
  'The account has no webhook, or it was switched off after failures.',
  'Save its address once more with POST /api/notifications.',
);

function readUrl(written: string): Result<string> {
  const url = URL.parse(written);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return succeed(url.href);
  return refuse('invalid_request', 'A webhook needs an https address without a login in it.');
}

function recordOf({ mail, webhook }: Choices) {
  if (!webhook) return { mail };
  const { url, kinds, failures, disabledAt, answer, triedAt } = webhook;
  return {
    mail,
    webhook: {
      url,
      kinds,
      failures,
      ...(disabledAt !== null && { disabledAt: new Date(disabledAt).toISOString() }),
      ...(answer !== null && { answer }),
      ...(triedAt !== null && { triedAt: new Date(triedAt).toISOString() }),
    },
  };
}
