/** Housekeeping: what in the store is only of use for a time, and what of it is in use. It reads much, and nobody waits for it. */
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

/** With 10,000 deployments 50 ms. */
export const keepHouseEveryMs = 10 * 60_000;

/** Rows of deployments that are gone are kept this long, for the page that says so. */
const forgetAfterMs = 30 * 24 * 60 * 60_000;

/** Forgets old rows, and notes which images are in use: those that are not for longest leave first. */
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
