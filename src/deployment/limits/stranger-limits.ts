/** PURE. Limits of users without an account. */
import { printBytes } from '../../config/values/units.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { type Counts, countedKinds, type StrangerCaps, strangerCapsOf } from './count-limits.ts';
import { countOf, type Usage } from './plan-tier.ts';
import type { PullLimits } from './pull-limits.ts';

export type StrangerLimits = {
  /** Maximum number of active deployments of one session. */
  perSession: number;
  /** Maximum number of active deployments from one client address. */
  perAddress: number;
  /** Total memory that they may reserve. */
  memoryBytesPerAddress: number;
  /** Whether users may run commands in pods; absent: no. */
  allowsExec?: boolean;
  /** Total size of images pushed from one client address; absent: see `imageBytesOfStrangers`. */
  imageBytes?: number;
  /** Lower limits of images. */
  pulls?: PullLimits;
  /** Explicit limits of containers, volumes and GPUs; see `strangerCapsOf` for the defaults. */
  caps?: Partial<StrangerCaps>;
};

/** Returns whether a stranger may get `requested` in addition to the use of the session and the address. */
export function strangerFits(
  limits: StrangerLimits,
  used: { inSession: Usage; fromAddress: Usage },
  requested: Usage,
): Result<undefined> {
  const { inSession, fromAddress } = used;
  if (requested.deployments > 0 && inSession.deployments + requested.deployments > limits.perSession)
    return refuse(
      'client_limit_reached',
      `This session already has ${inSession.deployments} deployments, the maximum.`,
      hint,
    );
  if (requested.deployments > 0 && fromAddress.deployments + requested.deployments > limits.perAddress) {
    const error = `From your address ${fromAddress.deployments} unclaimed deployments were started.`;
    return refuse('client_limit_reached', error, hint);
  }
  if (requested.memoryBytes > 0 && fromAddress.memoryBytes + requested.memoryBytes > limits.memoryBytesPerAddress) {
    const error =
      `Deployments from your address may have ${printBytes(limits.memoryBytesPerAddress)} of memory in all; they have ` +
      `${printBytes(fromAddress.memoryBytes)}, and this would add ${printBytes(requested.memoryBytes)}.`;
    return refuse('client_limit_reached', error, `Reduce resources.limits.memory. ${hint}`);
  }
  const { containersPerSession, volumesPerSession, ...perAddress } = strangerCapsOf(limits);
  const perSession = { ...perAddress, containers: containersPerSession, volumes: volumesPerSession };
  return (
    refuseBeyond('Deployments of this session', inSession, requested, perSession) ??
    refuseBeyond('Deployments from your address', fromAddress, requested, perAddress) ??
    succeed(undefined)
  );
}

function refuseBeyond(whose: string, used: Counts, requested: Counts, max: Counts): Result<undefined> | undefined {
  const kind = countedKinds.find((kind) => requested[kind] > 0 && used[kind] + requested[kind] > max[kind]);
  if (!kind) return undefined;
  const error = `${whose} may have ${countOf(max[kind], kind)} in all; they have ${used[kind]}, and this would add ${requested[kind]}.`;
  return refuse('client_limit_reached', error, `Use fewer of them. ${hint}`);
}

const hint =
  'Remove a deployment that you no longer need (POST /removeDeploymentReservation), wait until one expires, or claim them ' +
  'with an account.';
