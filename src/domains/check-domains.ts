/** Looks up the domains that are due, and notes what follows. Of all processes on the database one does so at a time. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { proofRecord } from '../deployment/domain/domain-proof.ts';
import { afterCheck, type Domain } from '../deployment/domain/domain-state.ts';
import type { Database } from '../store/database.ts';
import { deploymentById } from '../store/deployments.ts';
import {
  domainOfAccount,
  dueDomains,
  isHeldByOther,
  noteChecked,
  releaseDomain,
  strayDomains,
} from '../store/domains.ts';
import { takeDuty } from '../store/duties.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import type { Lookup } from './lookup.ts';

export type Checking = {
  db: Kysely<Tables>;
  lookup: Lookup;
  now: () => Instant;
  random: () => number;
  /** Names this process to the others. */
  holder: string;
  installation: string;
  appsDomain: string;
  log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** Absent where nobody is told by mail. */
  tellOwners?: (() => Promise<void>) | undefined;
};

/** Who is slow holds one place for as long as a look may take. */
const checksAtOnce = 16;
const dutyMs = 60_000;

/** Whether something may lead elsewhere than before. */
export async function checkDomains(checking: Checking): Promise<boolean> {
  const { db, now, holder } = checking;
  if (!(await takeDuty(db, { name: 'domains', holder, now: now(), forMs: dutyMs }))) return false;
  const mayBeStray = (await strayDomains(db, now())).length > 0;
  const isReleased = mayBeStray && (await write(db, 'all', (db) => releaseStray(db, now())));
  const due = await dueDomains(db, now(), checksAtOnce);
  const turned = await Promise.all(due.map((domain) => check(checking, domain)));
  const hasTurned = isReleased || turned.includes(true);
  // What has turned is to be served, whether or not its owner can be told.
  await checking.tellOwners?.().catch((err: unknown) => checking.log.error({ err }, 'owners could not be told'));
  return hasTurned;
}

/** Reads them again: meanwhile an account may have led one to another deployment. */
async function releaseStray(db: Database, now: Instant): Promise<boolean> {
  const stray = await strayDomains(db, now);
  for (const domain of stray) await releaseDomain(db, domain, { because: 'ended', now });
  return stray.length > 0;
}

async function check(checking: Checking, { name, accountId, deploymentId }: Domain): Promise<boolean> {
  const { db, lookup, now, random, installation, appsDomain, log } = checking;
  const deployment = await deploymentById(db, deploymentId);
  if (!deployment) return false;
  const proof = proofRecord({ installation, accountId, name });
  const found = await lookup({ name, proof, host: `${deployment.label}.${appsDomain}` });
  return await write(db, 'all', async (db) => {
    const domain = await domainOfAccount(db, { name, accountId });
    // Of one that was led elsewhere meanwhile, where it leads is to be looked up anew.
    if (!domain || domain.releasedAt !== null || domain.deploymentId !== deploymentId) return false;
    const isFree = !(await isHeldByOther(db, domain, now()));
    const checked = afterCheck(domain, found, { now: now(), isFree, random: random() });
    await noteChecked(db, domain, checked);
    const isNew = domain.verifiedAt === null && checked.verifiedAt !== null;
    const isLost = checked.releasedAt !== null;
    if (isNew) log.info({ name, deployment: deploymentId }, 'a custom domain was proven');
    if (isLost) log.info({ name, deployment: deploymentId }, 'a custom domain was released: it is not proven');
    return isNew || isLost;
  });
}
