/** The interface's records of a deployment. */
import { withShortNames } from '../../config/values/pushed-image.ts';
import {
  canExtend,
  type Deployment,
  extensionsRemaining,
  type Instant,
  isActive,
  type Limits,
} from '../../deployment/deployment.ts';
import { endingAt } from '../../deployment/desired.ts';
import type { DiskWarning } from '../../deployment/disk/disk-warnings.ts';
import { keptUntil } from '../../deployment/grace.ts';
import { type ShownPod, statusAt } from '../../deployment/status/deployment-health.ts';
import type { Reason } from '../../deployment/status/reason.ts';
import { type CertificateNotice, noticeText } from '../../lib/certificate-report.ts';

export function statusRecord(deployment: Deployment, now: Instant) {
  const { state, progress, explanation, lastLines, revision, servingRevision } = deployment;
  const { health, message, pods } = statusAt(deployment, now);
  return {
    state,
    // A deployment that has ended has no pods on their way.
    progress: health === 'expired' ? 0 : progress,
    health,
    ...(message && { message: withShortNames(message) }),
    ...(state === 'failed' &&
      explanation?.kind === 'failed' &&
      explanation.advice && { advice: adviceRecord(explanation.advice) }),
    revision,
    ...(servingRevision !== null && { servingRevision }),
    ...(lastLines.length > 0 && { lastLines }),
    ...(pods.length > 0 && { pods: pods.map(podRecord).map(withShortNames) }),
    ...sleepField(deployment),
  };
}

function sleepField({ asleepAt, wakes, wokeInMs }: Deployment) {
  if (asleepAt === null && wakes === 0) return {};
  const since = asleepAt === null ? {} : { since: printInstant(asleepAt) };
  return { sleep: { ...since, wakes, ...(wokeInMs !== null && { wokeInMs }) } };
}

function adviceRecord({ port, instead, ...advice }: NonNullable<Reason['advice']>) {
  return { ...advice, listensOn: port, declared: instead };
}

function podRecord({ lastExit, ...pod }: ShownPod) {
  return { ...pod, ...(lastExit && { lastExit: { ...lastExit, at: printInstant(lastExit.at) } }) };
}

export function extendRecord(deployment: Deployment, limits: Limits, now: Instant) {
  const { expiresAt } = deployment;
  return {
    available: isActive(deployment, now) && canExtend(deployment, limits),
    ...(expiresAt !== null && { expiresAt: printInstant(expiresAt) }),
    remaining: extensionsRemaining(deployment, limits),
  };
}

export function reservationRecord(deployment: Deployment, url: URL, now: Instant) {
  const { applicationName, environment, createdAt, expiresAt } = deployment;
  return {
    applicationName,
    environment,
    url: url.origin,
    status: statusRecord(deployment, now),
    createdAt: printInstant(createdAt),
    ...(expiresAt !== null && { expiresAt: printInstant(expiresAt) }),
  };
}

export type DeploymentDetails = {
  limits: Limits;
  graceMs: number;
  now: Instant;
  warnings?: readonly DiskWarning[];
  /** A notice about the domain's certificate. */
  notice?: CertificateNotice | undefined;
};

export function deploymentRecord(
  deployment: Deployment,
  url: URL,
  { limits, graceMs, now, warnings = [], notice }: DeploymentDetails,
) {
  const reservation = reservationRecord(deployment, url, now);
  const until = endingAt(deployment, now) ? keptUntil(deployment, now, graceMs) : null;
  const disk = warnings.map((warning) => ({ ...warning, at: printInstant(warning.at) }));
  return {
    ...reservation,
    status: {
      ...reservation.status,
      ...(disk.length > 0 && { disk }),
      ...(notice && { certificate: certificateRecord(notice) }),
    },
    extend: extendRecord(deployment, limits, now),
    claim: { claimed: deployment.claimedAt !== null },
    reservation: { held: deployment.heldAt !== null },
    ...(until !== null && { restorableUntil: printInstant(until) }),
  };
}

function certificateRecord(notice: CertificateNotice) {
  const { because } = notice;
  return { because, ...('until' in notice && { until: printInstant(notice.until) }), message: noticeText(notice) };
}

export function printInstant(instant: number): string {
  return new Date(instant).toISOString();
}
