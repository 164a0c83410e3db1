/** The service's answers under the dashboard's names. A changed answer does not compile here. */
import type { AnswerOf } from '../../../src/client/client.ts';

export type {
  Account,
  Claimed,
  ClaimView as Claim,
  Deployment,
  Domain,
  Key as ApiKey,
  Reservation,
  SharedStatus,
  SignInMethods,
  Started,
  Status,
  Updated,
} from '../../../src/client/service-types.ts';

export type ChangedDomain = AnswerOf<'addDomain'>;
export type DeploymentMetrics = AnswerOf<'getDeploymentMetrics'>;
export type ShareLink = AnswerOf<'getShareLink'>;
export type Limits = AnswerOf<'getLimits'>;
export type Outline = AnswerOf<'getDeploymentOutline'>;
export type Configuration = AnswerOf<'getDeploymentConfiguration'>;
export type Revision = AnswerOf<'getDeploymentRevisions'>['revisions'][number];
export type Snapshots = AnswerOf<'getSnapshots'>;
export type Snapshot = Snapshots['snapshots'][number];
export type Restore = Snapshots['restores'][number];
export type Restored = Extract<AnswerOf<'restoreSnapshot'>, { restore: object }>;
export type RestorePreview = Extract<AnswerOf<'restoreSnapshot'>, { dryRun: true }>;
export type Preview = AnswerOf<'previewUpdate'>;
export type PodChange = Preview['pods'][number];
export type PodState = NonNullable<AnswerOf<'getDeploymentStatus'>['status']['pods']>[number];
export type Login = AnswerOf<'getLogin'>;
export type Notifications = AnswerOf<'getNotifications'>;
/** Omitted fields stay; null removes the webhook. */
export type NotificationsChoice = {
  mail?: Notifications['mail'];
  webhook?: Pick<NonNullable<Notifications['webhook']>, 'url' | 'kinds'> | null;
};
export type SignIn = AnswerOf<'listSignIns'>['signIns'][number];
export type SessionToken = AnswerOf<'listTokens'>['tokens'][number];
