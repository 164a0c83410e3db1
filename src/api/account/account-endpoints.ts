/** The account that a browser is signed in to, and how people can sign in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { tierNamed } from '../../deployment/limits/plan-tier.ts';
import { accountById, hasPassword, usageOf } from '../../store/accounts.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { requireAccount } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';

export const SignInMethodsRecord = Type.Object({
  password: Type.Boolean(),
  passkeys: Type.Boolean(),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  sendsMail: Type.Boolean({ description: 'Whether the service verifies addresses and resets passwords by email.' }),
  signUp: Type.Boolean({ description: 'Whether every visitor can create an account.' }),
});
export type SignInMethods = Static<typeof SignInMethodsRecord>;

export const AccountRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  isEmailVerified: Type.Boolean(),
  hasPassword: Type.Boolean({ description: 'Whether the account has a password to sign in with.' }),
  tier: Type.Object({
    name: Type.String(),
    deployments: Type.Integer(),
    memory: Type.Integer({ description: 'Bytes.' }),
    reservations: Type.Boolean(),
    lifetimeMinutes: Type.Union([Type.Number(), Type.Null()], { description: 'null: deployments do not expire.' }),
  }),
  usage: Type.Object({ deployments: Type.Integer(), memory: Type.Integer({ description: 'Bytes.' }) }),
});

export function accountEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/sign-in-methods',
      {
        schema: {
          operationId: 'getSignInMethods',
          summary: 'How people can sign in here',
          tags: ['accounts'],
          description: 'Returns the available sign-in methods: passwords, passkeys, and the configured providers.',
          access: 'public',
          response: { 200: SignInMethodsRecord },
        },
      },
      async () => await service.accounts.methods(),
    );

    app.get(
      '/api/account',
      {
        schema: {
          operationId: 'getAccount',
          summary: 'The account of the caller, its plan and what it uses',
          tags: ['accounts'],
          description: 'Returns the name, the plan, and the used part of the plan.',
          access: 'account',
          response: { 200: AccountRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireAccount(service, request));
        const account = await accountById(service.db, accountId);
        if (!account) throw new Error('an account is signed in that does not exist');
        const { id, name, email, isEmailVerified } = account;
        const tier = tierNamed(service.settings.tiers, account.tier);
        const usage = await usageOf(service.db, id, service.now());
        return {
          id,
          name,
          email,
          isEmailVerified,
          hasPassword: await hasPassword(service.db, id),
          tier: {
            name: tier.name,
            deployments: tier.deployments,
            memory: tier.memoryBytes,
            reservations: tier.allowsReservations,
            lifetimeMinutes: tier.lifetimeMs === null ? null : tier.lifetimeMs / 60_000,
          },
          usage: { deployments: usage.deployments, memory: usage.memoryBytes },
        };
      },
    );
  };
}
