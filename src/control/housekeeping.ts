/** Housekeeping: removes outdated rows and records which images are in use. It reads many rows and is not urgent. */
import type { Instant } from '../deployment/deployment.ts';
import { keptForMs } from '../deployment/metrics/deployment-metrics.ts';
import { forgetChallenges } from '../store/acme.ts';
import type { Database } from '../store/database.ts';
import { forgetGone } from '../store/deployments.ts';
import { forgetDomains } from '../store/domains.ts';
import { forgetIdempotency } from '../store/idempotency.ts';
import { forgetMetrics } from '../store/kept-metrics.ts';
import { forgetLogins } from '../store/logins.ts';
import { touchUsed } from '../store/pulled-images.ts';
import { forgetEmptySessions } from '../store/sessions.ts';
import { forgetSignIns } from '../store/sign-ins.ts';
import { forgetSpentProofs } from '../store/spent-proofs.ts';

/** Takes 50 ms with 10,000 deployments. */
export const keepHouseEveryMs = 10 * 60_000;

/** How long rows of ended deployments are kept, for the page that reports the end. */
const forgetAfterMs = 30 * 24 * 60 * 60_000;

/** Removes old rows and records which images are in use, so that the least recently used ones are removed first. */
export async function keepHouse(db: Database, now: Instant): Promise<void> {
  await forgetGone(db, now - forgetAfterMs);
  await forgetEmptySessions(db, now - forgetAfterMs);
  await forgetIdempotency(db, now);
  await forgetSpentProofs(db, now);
  await forgetLogins(db, now);
  await forgetChallenges(db, now);
  await forgetDomains(db, now);
  await forgetSignIns(db, now);
  await forgetMetrics(db, now - keptForMs);
  await touchUsed(db, now);
}
