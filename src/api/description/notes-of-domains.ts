/** PURE. Descriptions of the operations on custom domains, by `operationId`. */
import type { OperationNote } from './operation-note.ts';
import { refusalsOfApplications } from './refusals.ts';

const refusalsOfDomains = ['invalid_domain', 'domain_taken', 'domain_needs_claim', 'domains_not_offered'] as const;

export const notesOfDomains: Record<string, OperationNote> = {
  listDomains: {
    tag: 'domains',
    access: 'caller',
    description:
      'Returns the custom domains of a deployment: their states, why they are not live, and which DNS records to set.',
    refusals: refusalsOfApplications,
  },
  addDomain: {
    tag: 'domains',
    access: 'caller in body',
    description:
      'Adds a domain to a claimed deployment, or moves a domain of the account to another deployment, and looks it up. The domain is served once DNS has the records in the response. Until it is proven, other accounts can add it too.',
    refusals: [...refusalsOfApplications, ...refusalsOfDomains, 'plan_limit_reached'],
  },
  checkDomain: {
    tag: 'domains',
    access: 'caller in body',
    description:
      'Looks the domain up in DNS now and returns the result. The service also checks by itself, soon or once a day.',
    refusals: [...refusalsOfApplications, 'domain_not_found'],
  },
  removeDomain: {
    tag: 'domains',
    access: 'caller in body',
    description: 'Stops serving the domain. A proven domain stays reserved for the account for seven days.',
    refusals: [...refusalsOfApplications, 'domain_not_found'],
  },
};
