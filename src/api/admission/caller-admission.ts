/** Whether callers may deploy their configuration: bans, and the limits for users without an account. */
import type { FastifyRequest } from 'fastify';
import { type AppSpec, imagesOf } from '../../config/spec/spec.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { admitUnbanned } from '../../deployment/limits/ban.ts';
import { type StrangerLimits, strangerFits } from '../../deployment/limits/stranger-limits.ts';
import type { Result } from '../../lib/problem.ts';
import { allBans } from '../../store/bans.ts';
import type { Database } from '../../store/database.ts';
import { type Origin, usageOfClient } from '../../store/origins.ts';
import { usageOfSession } from '../../store/usage.ts';
import type { ApiSettings } from '../api-service.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';
import { addedBy, type PlanRequest } from './plans.ts';

export function originOf(request: FastifyRequest, { networkPool }: Pick<ApiSettings, 'networkPool'>): Origin {
  return { address: clientAddress(request), client: clientKey(request, networkPool) };
}

/** Within the transaction that writes the intent. The session may belong to an account, and the account be banned. */
export async function refuseBanned(
  db: Database,
  { address }: Origin,
  { spec, accountId }: { spec?: AppSpec; accountId: string | null | undefined },
): Promise<Result<undefined>> {
  return admitUnbanned(await allBans(db), { address, accountId, images: spec ? imagesOf(spec) : [] });
}

/**
 * Part of `admit`, for a session without an account. An update counts for the client that sends it, even if another one
 * started the deployment. Otherwise updates would bypass the limits of starts.
 */
export async function admitStranger(
  db: Database,
  limits: StrangerLimits,
  { client }: Origin,
  requested: PlanRequest & { now: Instant; sessionId?: string | undefined },
): Promise<Result<undefined>> {
  const { now, sessionId } = requested;
  const used = {
    inSession: await usageOfSession(db, sessionId, now),
    fromAddress: await usageOfClient(db, client, now),
  };
  return strangerFits(limits, used, await addedBy(db, requested));
}
