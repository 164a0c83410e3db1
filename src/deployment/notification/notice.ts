/** PURE. Notifications to owners of deployments, one per cause, by mail or webhook. */
import { type Deployment, type Instant, messageOf } from '../deployment.ts';
import type { DomainProblem } from '../domain/domain-problem.ts';
import type { Domain } from '../domain/domain-state.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { statusAt } from '../status/deployment-health.ts';

export const noticeKinds = ['failed', 'expiring', 'domain', 'snapshot'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const noticeChannels = ['mail', 'webhook'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

/** The content. `url`: the page with details. */
export type NoticeContent = {
  kind: NoticeKind | 'test' | 'webhook-disabled';
  message: string;
  url: string;
  applicationName?: string;
  environment?: string;
};

/** `subject`: the cause; each cause is reported once. */
export type Notice = { subject: string; content: NoticeContent };

/** The possible causes of one account. */
export type Observed = {
  deployments: readonly Deployment[];
  domains: readonly { domain: Domain; trouble: DomainProblem }[];
  /** Failed snapshots. */
  snapshots: readonly Snapshot[];
};

/** `urlOf`: returns the page of a deployment. */
export function noticesOf(
  { deployments, domains, snapshots }: Observed,
  { urlOf, now }: { urlOf: (deployment: Deployment) => string; now: Instant },
): Notice[] {
  const byId = new Map(deployments.map((deployment) => [deployment.id, deployment]));
  const about = (deployment: Deployment, kind: NoticeKind, message: string): NoticeContent => {
    const { applicationName, environment } = deployment;
    return { kind, message, url: urlOf(deployment), applicationName, environment };
  };
  return [
    ...deployments.flatMap((deployment) => {
      const { id, applicationName, state, revision, progressedAt, expiresAt, warnedOf } = deployment;
      const notices: Notice[] = [];
      if (state === 'failed') {
        // The status of a stopped deployment hides the failure. Both values show whether an earlier revision serves.
        const reason = deployment.stoppedAt === null ? statusAt(deployment, now).message : messageOf(deployment);
        const message = `Revision ${revision} of ${applicationName} failed${reason === '' ? '' : `: ${reason}`}.`;
        notices.push({
          subject: `failed ${id} ${revision} ${progressedAt}`,
          content: about(deployment, 'failed', message),
        });
      }
      // `grace.ts` has decided that the warning is due.
      if (expiresAt !== null && warnedOf === expiresAt) {
        const message = `${applicationName} expires at ${new Date(expiresAt).toISOString()}.`;
        notices.push({ subject: `expiring ${id} ${expiresAt}`, content: about(deployment, 'expiring', message) });
      }
      return notices;
    }),
    ...domains.flatMap(({ domain: { name, deploymentId, failingSince }, trouble }) => {
      const deployment = byId.get(deploymentId);
      if (!deployment) return [];
      const message = `${name} ${domainWords[trouble]}.`;
      return [
        {
          subject: `domain ${name} ${trouble} ${failingSince ?? ''}`,
          content: about(deployment, 'domain', message),
        },
      ];
    }),
    ...snapshots.flatMap(({ id, deploymentId, problem }) => {
      const deployment = byId.get(deploymentId);
      if (!deployment) return [];
      const message = `A snapshot of ${deployment.applicationName} failed${problem === null ? '.' : `: ${problem}`}`;
      return [{ subject: `snapshot ${id}`, content: about(deployment, 'snapshot', message) }];
    }),
  ];
}

const domainWords: Record<DomainProblem, string> = {
  failing: 'is about to be lost: its DNS records no longer prove that it is yours',
  lost: 'was lost: for too long, its DNS records did not prove that it is yours',
  uncertified: 'has no certificate',
};

/** Returns the mail of a notification. */
export function noticeMail({ message, url }: NoticeContent): { subject: string; text: string } {
  const subject = message.split(/[:.] |[.:]$/)[0]!.slice(0, 120);
  return {
    subject,
    text: `${message}\n\n${url}\n\nYour account page says which mails you get.\n`,
  };
}
