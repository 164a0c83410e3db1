/** Finds the notices for accounts, and stores them with their deliveries. */
import type { Kysely } from 'kysely';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { domainTrouble } from '../deployment/domain/domain-trouble.ts';
import { type NoticeChannel, noticesOf } from '../deployment/notification/notice.ts';
import { certificatesOf } from '../store/certificates.ts';
import type { Database } from '../store/database.ts';
import { claimedDeploymentsOfAccount } from '../store/deployments.ts';
import { domainsOfAccount } from '../store/domains.ts';
import {
  accountsToTell,
  addNotice,
  type Choices,
  forgetNotices,
  kindsToldSince,
  untold,
} from '../store/notifications.ts';
import type { Tables } from '../store/rows.ts';
import { snapshotsOfAccount } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';

/** If something breaks and recovers repeatedly, only the first notices are sent. */
const mostAnHour = 20;
const hourMs = 60 * 60_000;
/** A cause that is older does not come back as the same. */
const keptMs = 90 * 24 * hourMs;

export type Looking = { db: Kysely<Tables>; now: () => Instant; urlOf: (deployment: Deployment) => string };

export async function lookForNotices({ db, now, urlOf }: Looking): Promise<void> {
  for (const { accountId, choices } of await accountsToTell(db)) {
    const notices = noticesOf(await observe(db, accountId, now()), { urlOf, now: now() });
    const isWanted = (kind: string) => channelsFor(choices, kind).length > 0;
    const recent = (await kindsToldSince(db, accountId, now() - hourMs)).map(isWanted);
    for (const notice of await untold(db, accountId, notices)) {
      const channels = channelsFor(choices, notice.content.kind);
      // Unwanted notices are recorded, too, so that they are not sent late. They do not count toward the limit of
      // wanted ones.
      const wanted = channels.length > 0;
      if (recent.filter((each) => each === wanted).length >= mostAnHour) continue;
      await write(db, 'all', (db) => addNotice(db, accountId, notice, { channels, now: now() }));
      recent.push(wanted);
    }
  }
  await forgetNotices(db, now() - keptMs);
}

/** Mails on domains and snapshots are sent where those are looked after. */
function channelsFor({ mail, webhook }: Choices, kind: string): NoticeChannel[] {
  const isMailedHere = kind === 'failed' || kind === 'expiring';
  const channels: NoticeChannel[] = [];
  if (isMailedHere && mail.includes(kind)) channels.push('mail');
  if (webhook?.disabledAt === null && webhook.kinds.some((each) => each === kind)) channels.push('webhook');
  return channels;
}

async function observe(db: Database, accountId: string, now: Instant) {
  const deployments = await claimedDeploymentsOfAccount(db, accountId, now);
  const present = new Set(deployments.map(({ id }) => id));
  const domains = (await domainsOfAccount(db, accountId)).filter(({ deploymentId }) => present.has(deploymentId));
  const names = domains.map(({ name }) => name);
  const certificates = names.length > 0 ? await certificatesOf(db, names) : new Map();
  const snapshots = (await snapshotsOfAccount(db, accountId)).filter(({ deploymentId }) => present.has(deploymentId));
  return {
    deployments,
    domains: domains.flatMap((domain) => {
      const trouble = domainTrouble(domain, certificates.get(domain.name));
      return trouble === undefined ? [] : [{ domain, trouble }];
    }),
    snapshots: snapshots.filter(({ state }) => state === 'failed'),
  };
}
