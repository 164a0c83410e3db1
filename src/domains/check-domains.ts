/** Looks up the domains that are due, and notes what follows. Of all processes on the database one does so at a time. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { proofRecord } from '../deployment/domain/domain-proof.ts';
import { afterCheck, type Domain } from '../deployment/domain/domain-state.ts';
import type { Tables } from '../store/database.ts';
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
  log: { info(details: object, message: string): void };
};

/** Who is slow holds one place for as long as a look may take. */
const checksAtOnce = 16;
const dutyMs = 60_000;

/** Whether something may lead elsewhere than before. */
export async function checkDomains(checking: Checking): Promise<boolean> {
  const { db, now, holder } = checking;
  if (!(await takeDuty(db, { name: 'domains', holder, now: now(), forMs: dutyMs }))) return false;
  const stray = await strayDomains(db, now());
  for (const domain of stray)
    await write(db, 'all', (db) => releaseDomain(db, domain, { because: 'ended', now: now() }));
  const due = await dueDomains(db, now(), checksAtOnce);
  const turned = await Promise.all(due.map((domain) => check(checking, domain)));
  return stray.length > 0 || turned.includes(true);
}

async function check(checking: Checking, { name, accountId, deploymentId }: Domain): Promise<boolean> {
  const { db, lookup, now, random, installation, appsDomain, log } = checking;
  const deployment = await deploymentById(db, deploymentId);
  if (!deployment) return false;
  const proof = proofRecord({ installation, accountId, name });
  const found = await lookup({ name, proof, host: `${deployment.label}.${appsDomain}` });
  return await write(db, 'all', async (db) => {
    const domain = await domainOfAccount(db, { name, accountId });
    if (!domain || domain.releasedAt !== null) return false;
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
