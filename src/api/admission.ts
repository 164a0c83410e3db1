/** Admission: whether a start or an update still fits on the host. */

import type { AppSpec } from '../config/spec.ts';
import { printBytes } from '../config/units.ts';
import { type Budget, fits, growth } from '../deployment/budget.ts';
import { type Amount, amountOf } from '../deployment/resources.ts';
import { type Result, succeed } from '../lib/problem.ts';
import { committedInAll, committedTo } from '../store/commitments.ts';
import type { Database } from '../store/database.ts';

/** Deployments that end leave the engine within a minute. */
const retryAfterSeconds = 60;

/**
 * Asked within the transaction that writes the intent, before it writes anything: of two starts for the last place,
 * the second one sees the first. `deploymentId` is that of an update, which is asked only for what it adds.
 */
export async function admit(
  db: Database,
  budget: Budget,
  spec: AppSpec,
  deploymentId?: string,
): Promise<Result<undefined>> {
  const wanted = amountOf(spec);
  const asked = deploymentId === undefined ? wanted : growth(await committedTo(db, deploymentId), wanted);
  const fit = fits(budget, await committedInAll(db), asked);
  if (fit.kind === 'fits') return succeed(undefined);
  const { called, print, hint } = words[fit.resource];
  const amount = `${deploymentId === undefined ? '' : 'another '}${print(fit.asked)}`;
  const problem = {
    code: 'capacity_exhausted',
    error: fit.isHopeless
      ? `Application ${spec.name} asks for ${amount} of ${called}; this server does not have that much.`
      : `This server has not enough ${called} left for application ${spec.name}, which asks for ${amount}.`,
    hint: fit.isHopeless ? hint : `Try again in ${retryAfterSeconds} seconds. ${hint}`,
    retryAfterSeconds,
  } as const;
  return { ok: false, problem };
}

const words: Record<keyof Amount, { called: string; print: (amount: number) => string; hint: string }> = {
  memoryBytes: {
    called: 'memory',
    print: printBytes,
    hint: 'Less is set aside for smaller resources.requests.memory and resources.limits.memory.',
  },
  cpuMillis: {
    called: 'processor time',
    print: (millis) => `${millis}m`,
    hint: 'Less is set aside for smaller resources.requests.cpu and resources.limits.cpu.',
  },
  diskBytes: { called: 'disk space', print: printBytes, hint: 'Smaller volumes need less of it.' },
};
