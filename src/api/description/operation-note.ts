/** What the description says of an operation beside its schemas: who may ask, what for, what it can be answered. */
import type { ProblemCode } from '../../lib/problem-codes.ts';
import type { Access } from './refusals.ts';

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
  tag: keyof typeof tags;
  access: Access;
  description: string;
  /** Beside those that every request of its access and form can be answered. */
  refusals?: readonly ProblemCode[];
  /** The operation whose example is shown; without a word, its own. */
  exampleOf?: string;
};
