/** The part of a route's schema that serves the description: its group, who may send the request, and its errors. */
import type { ProblemCode } from '../../lib/problem-codes.ts';
import type { Access } from './refusals.ts';

declare module 'fastify' {
  interface FastifySchema {
    access?: Access;
    /** In addition to those of every request with its access and form. */
    refusals?: readonly ProblemCode[];
    /** The operation whose example is shown; by default, its own. */
    exampleOf?: string;
  }
}

export const tags = {
  deployments: 'Starting, updating and ending deployments.',
  status: 'Information about deployments: state, events, logs, configuration.',
  reservations: 'The deployments of a session, and holds past time limits.',
  snapshots: 'Snapshots of the data of claimed deployments, and restores.',
  configuration: 'Checking configurations before anything is deployed.',
  domains: 'Custom domain names for claimed deployments.',
  accounts: 'Claim links, accounts, their limits and API keys.',
  'sign-in': 'Signing up, signing in, and signing out. Errors also have their own codes.',
} as const;

export type OperationNote = {
  access: Access;
  refusals?: readonly ProblemCode[];
  exampleOf?: string;
  /** Its body may be a source archive, or absent. */
  takesSources?: boolean | undefined;
};
