/** PURE. What an account has to write into the zone of a name to show that it is its own. */
import { hash } from 'node:crypto';
import { proofPrefix } from './domain-name.ts';

/** Of the type TXT. */
export type ProofRecord = { name: string; value: string };

/** The value is for one account of one installation and one name: whoever copies it proves another one's claim. */
export function proofRecord(of: { installation: string; accountId: string; name: string }): ProofRecord {
  const { installation, accountId, name } = of;
  const digest = hash('sha256', JSON.stringify(['berth-domain', installation, accountId, name]), 'base64url');
  return { name: `${proofPrefix}${name}`, value: `berth=${digest.slice(0, 32)}` };
}
