/** A custom domain in a line. */
import type { Domain } from '../../src/deployment/domain/domain-state.ts';

/** Added just now, and never looked up, but for `fields`. */
export function domainOf(fields: Partial<Domain>): Domain {
  return {
    name: 'shop.example.com',
    accountId: 'ada',
    deploymentId: 'shop',
    redirectTo: null,
    addedAt: 0,
    verifiedAt: null,
    failingSince: null,
    checkedAt: null,
    nextCheckAt: 0,
    finding: null,
    releasedAt: null,
    releasedBecause: null,
    heldUntil: null,
    told: null,
    ...fields,
  };
}
