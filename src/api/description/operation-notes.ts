/** PURE. What the description says of every operation. */
import { notesOfAccounts } from './notes-of-accounts.ts';
import { notesOfDeployments } from './notes-of-deployments.ts';
import { notesOfDomains } from './notes-of-domains.ts';
import { notesOfSnapshots } from './notes-of-snapshots.ts';
import type { OperationNote } from './operation-note.ts';

/** By `operationId`. */
export const operations: Record<string, OperationNote> = {
  ...notesOfDeployments,
  ...notesOfDomains,
  ...notesOfSnapshots,
  ...notesOfAccounts,
};
