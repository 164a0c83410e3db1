/** Mails owners of custom domains about problems, and records what was sent. */

import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { dashboardPath } from '../deployment/deployment-names.ts';
import { type DomainProblem, domainMail, domainProblem } from '../deployment/domain/domain-problem.ts';
import { proofRecord } from '../deployment/domain/domain-proof.ts';
import type { Domain } from '../deployment/domain/domain-state.ts';
import { mailRefusal, type SendMail } from '../lib/mail-transport.ts';
import { createLimiter } from '../lib/rate-limit.ts';
import { accountById } from '../store/accounts.ts';
import { type CertificateState, certificatesOf } from '../store/certificates.ts';
import { deploymentById } from '../store/deployments.ts';
import { domainsWithProblems, recordDomainNotice } from '../store/domains.ts';
import { wantsMail } from '../store/notifications.ts';
import type { Tables } from '../store/rows.ts';

export type OwnerNotifierParts = {
  db: Kysely<Tables>;
  now: () => Instant;
  installation: string;
  appsDomain: string;
  baseUrl: URL;
  send: SendMail;
  log: { warn(details: object, message: string): void };
};

/** Also the pause after a mail server refused all mails. */
const lookEveryMs = 60_000;
/** A hanging mail server takes 10 s for each mail, and the duty for domains lasts a minute. */
const mailsAtOnce = 3;
/** If a name breaks and recovers repeatedly, only the first mails are sent. */
const accountRate = { count: 5, windowMs: 60 * 60_000 };

/** Only to confirmed addresses. After a recovery, the next problem is reported again. */
export function createOwnerNotifier(parts: OwnerNotifierParts): () => Promise<void> {
  const { db, now, log } = parts;
  const perAccount = createLimiter(accountRate);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(now() - lookedAt) < lookEveryMs) return;
    lookedAt = now();
    const domains = await domainsWithProblems(db);
    const names = domains.map(({ name }) => name);
    const certificates = names.length > 0 ? await certificatesOf(db, names) : new Map();
    let sent = 0;
    for (const domain of domains) {
      const tries: CertificateState | undefined = certificates.get(domain.name);
      const trouble = domainProblem(domain, tries);
      if (trouble === (domain.told ?? undefined)) continue;
      if (trouble !== undefined) {
        if (sent === mailsAtOnce || !perAccount.take(domain.accountId, now()).isAllowed) continue;
        sent += 1;
        if (!(await sendProblemMail(parts, domain, { trouble, tries }))) return;
      }
      await recordDomainNotice(db, domain, trouble ?? null);
    }
    if (sent === mailsAtOnce) lookedAt = Number.NEGATIVE_INFINITY;
  };

  /** Returns false if the mail server is temporarily unavailable. A permanent refusal (5xx) is not retried. */
  async function sendProblemMail(
    { installation, appsDomain, baseUrl, send }: OwnerNotifierParts,
    domain: Domain,
    { trouble, tries }: { trouble: DomainProblem; tries: CertificateState | undefined },
  ): Promise<boolean> {
    const account = await accountById(db, domain.accountId);
    const deployment = await deploymentById(db, domain.deploymentId);
    if (!account?.isEmailVerified || !deployment || !(await wantsMail(db, account.id, 'domain'))) return true;
    const { label, applicationName } = deployment;
    const mail = domainMail(domain, trouble, {
      proof: proofRecord({ installation, ...domain }),
      host: `${label}.${appsDomain}`,
      applicationName,
      dashboardUrl: new URL(dashboardPath(deployment), baseUrl).href,
      tries,
      now: now(),
    });
    try {
      await send({ to: account.email, ...mail });
      return true;
    } catch (error) {
      const { isForGood, ...answer } = mailRefusal(error);
      log.warn(answer, 'the email to the owner of a custom domain could not be sent');
      // Retrying a permanent refusal would block all other mails.
      return isForGood;
    }
  }
}
