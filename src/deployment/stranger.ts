/** PURE. What those may have who have no account. */
import { printBytes } from '../config/units.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import type { Usage } from './tier.ts';

export type StrangerLimits = {
  /** Active deployments of one session. */
  perSession: number;
  /** Active deployments that were started from one client address. */
  perAddress: number;
  /** What these may be promised in all. */
  memoryBytesPerAddress: number;
};

/** Whether a stranger may have `asked` beside what session and address have. */
export function strangerFits(
  limits: StrangerLimits,
  used: { inSession: number; fromAddress: Usage },
  asked: Usage,
): Result<undefined> {
  const { inSession, fromAddress } = used;
  if (asked.deployments > 0 && inSession + asked.deployments > limits.perSession)
    return refuse('client_limit_reached', `This session has ${inSession} deployments, and may have no more.`, hint);
  if (asked.deployments > 0 && fromAddress.deployments + asked.deployments > limits.perAddress) {
    const error = `From your address ${fromAddress.deployments} deployments were started that nobody has claimed.`;
    return refuse('client_limit_reached', error, hint);
  }
  if (asked.memoryBytes > 0 && fromAddress.memoryBytes + asked.memoryBytes > limits.memoryBytesPerAddress) {
    const error =
      `Deployments from your address may have ${printBytes(limits.memoryBytesPerAddress)} of memory in all; they have ` +
      `${printBytes(fromAddress.memoryBytes)}, and this would add ${printBytes(asked.memoryBytes)}.`;
    return refuse('client_limit_reached', error, `Ask for less with resources.limits.memory. ${hint}`);
  }
  return succeed(undefined);
}

const hint =
  'Remove one that is not needed any more (POST /removeDeploymentReservation), wait until one expires, or claim them ' +
  'with an account.';
