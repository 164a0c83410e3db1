/** PURE. The DNS record by which an account proves that it controls a name. */
import { hash } from 'node:crypto';
import { proofPrefix } from './domain-name.ts';

/** The name of the TXT record. */
export type ProofRecord = { name: string; value: string };

/**
 * Returns the value of the record. It is unique for installation, account and name, so that a copied value proves
 * nothing.
 */
export function proofRecord(of: { installation: string; accountId: string; name: string }): ProofRecord {
  const { installation, accountId, name } = of;
  const digest = hash('sha256', JSON.stringify(['berth-domain', installation, accountId, name]), 'base64url');
  return { name: `${proofPrefix}${name}`, value: `berth=${digest.slice(0, 32)}` };
}
