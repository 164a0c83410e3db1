/** Bringing back what has ended, while what it had is kept: everything that it writes, in one transaction. */
import type { Deployment } from '../../deployment/deployment.ts';
import { keptUntil, restore } from '../../deployment/grace.ts';
import { domainsOf } from '../../deployment/limits/plan-tier.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { activeDeployments, deploymentById } from '../../store/deployments.ts';
import { restoreDomains } from '../../store/domains.ts';
import { endPastLimit, intend } from '../../store/intents.ts';
import { moveOrigin, type Origin, originOfDeployment } from '../../store/origins.ts';
import { revisionOf } from '../../store/revisions.ts';
import { accountOfSession, sessionOfToken } from '../../store/sessions.ts';
import { transact } from '../../store/transaction.ts';
import { admit } from '../admission/admission.ts';
import { refuseBanned } from '../admission/caller-admission.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { sessionNotFound } from '../requests/callers.ts';

/** `token`: the session token of the request, if it used one. */
export async function restoreNow(
  service: Service,
  { id, applicationName, sessionId }: Deployment,
  { token, origin }: { token: string | undefined; origin: Origin },
): Promise<Result<Deployment>> {
  const { limits, graceMs, strangers, tiers } = service.settings;
  const now = service.now();
  const budget = await service.budget();
  const restored = await transact(service.db, async (db): Promise<Result<Deployment>> => {
    if (token !== undefined && !(await sessionOfToken(db, token))) return sessionNotFound;
    const active = await activeDeployments(db, sessionId, now);
    if (active.some((other) => other.applicationName === applicationName)) return isThere(applicationName);
    await endPastLimit(db, { sessionId, applicationName, now, graceMs });
    const deployment = await deploymentById(db, id);
    if (!deployment || keptUntil(deployment, now, graceMs) === null) return notKept(applicationName);
    const { spec } = await revisionOf(db, service.seal, id, deployment.revision);
    const accountId = await accountOfSession(db, sessionId);
    // For a claimed deployment, its account is responsible, independent of the address it was started from.
    const first = deployment.claimedAt === null ? await originOfDeployment(db, id) : undefined;
    for (const asking of first ? [origin, first] : [origin]) {
      const unbanned = await refuseBanned(db, asking, { spec, accountId });
      if (!unbanned.ok) return unbanned;
    }
    const terms = restore(deployment, limits, now);
    if (!terms.ok) return terms;
    const plan = await planOfDeployment(db, tiers, deployment);
    const asked = { spec, now, sessionId, deploymentId: id, isReturning: true };
    const admitted = await admit(db, { budget, strangers, plan, origin }, asked);
    if (!admitted.ok) return admitted;
    const begun = {
      ...terms.value,
      state: nextState(deployment.state, 'restored'),
      progress: 0,
      explanation: null,
      progressedAt: now,
      removedAt: null,
      stoppedAt: null,
      restorableUntil: null,
      keptAt: null,
    };
    const intent = { ...begun, pods: '[]', lastLines: '[]' };
    const event = { kind: 'intent', intent: 'restore', revision: deployment.revision } as const;
    await moveOrigin(db, id, origin);
    await intend(db, id, intent, { event, now });
    if (plan) await restoreDomains(db, id, { most: domainsOf(plan.tier), now });
    return succeed({ ...deployment, ...begun, pods: [], lastLines: [] });
  });
  if (restored.ok) service.wake(id);
  return restored;
}

function isThere(applicationName: string) {
  return refuse(
    'application_exists',
    `Application ${applicationName} is already running in this session.`,
    'Remove the running application first: a session has one application of each name.',
  );
}

function notKept(applicationName: string) {
  return refuse(
    'application_not_found',
    `Application ${applicationName} has ended, and its data is no longer kept.`,
    'Start it as a new deployment.',
  );
}
