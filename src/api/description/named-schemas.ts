/** The names under which the description has shapes that stand in several places. */
import { AccountRecord, SignInMethodsRecord } from '../account/account-endpoints.ts';
import { ApiKeyRecord } from '../account/api-key-endpoints.ts';
import { LimitsRecord } from '../admission/quota-endpoints.ts';
import { ClaimedRecord, ClaimViewRecord } from '../claims/claim-endpoints.ts';
import { DomainRecord } from '../custom-domains/domain-records.ts';
import * as records from '../deployments/deployment-schemas.ts';
import { PreviewFields } from '../deployments/previewed-update.ts';
import { OutlineRecord } from '../deployments/revision-endpoints.ts';
import { RunRecord } from '../deployments/run-endpoints.ts';
import { NotificationsRecord } from '../notifications/notification-endpoints.ts';
import { ApplicationFields, TokenBody } from '../requests/callers.ts';
import { SharedStatusRecord } from '../sharing/share-endpoints.ts';
import { RestoreRecord, SnapshotRecord } from '../volume-snapshots/snapshot-records.ts';

const { DeploymentRecord, RemarkFields, ReservationRecord, StartRecord, UpdateRecord } = records;

export const namedSchemas = {
  Account: AccountRecord,
  Advice: records.StatusRecord.properties.advice,
  Application: ApplicationFields,
  Claimed: ClaimedRecord,
  ClaimView: ClaimViewRecord,
  Deployment: DeploymentRecord,
  DeploymentStatus: DeploymentRecord.properties.status,
  Diagnostic: records.DiagnosticRecord,
  Domain: DomainRecord,
  Error: records.ErrorRecord,
  ErrorWithChallenge: records.ProofRequiredRecord,
  DryRun: records.DryRunRecord,
  Extend: StartRecord.properties.extend,
  Key: ApiKeyRecord,
  Limits: LimitsRecord,
  Links: StartRecord.properties.links,
  Message: records.MessageRecord,
  Notifications: NotificationsRecord,
  OutlinedPod: OutlineRecord.properties.pods.items,
  Pod: records.PodRecord,
  PodChange: PreviewFields.pods.items,
  Reservation: ReservationRecord,
  Restore: RestoreRecord,
  Run: RunRecord,
  Session: TokenBody,
  SharedStatus: SharedStatusRecord,
  SignInMethods: SignInMethodsRecord,
  Snapshot: SnapshotRecord,
  Started: StartRecord,
  Status: records.StatusRecord,
  Updated: UpdateRecord,
};

/** Fields of many shapes. The pages of the documentation and the types of the client repeat them. */
export const namedFields = {
  ApplicationName: ApplicationFields.properties.applicationName,
  Diagnostics: RemarkFields.diagnostics,
  Environment: ApplicationFields.properties.environment,
  IgnoredParameters: records.Warnings,
  NotificationKinds: NotificationsRecord.properties.mail,
  SessionToken: TokenBody.properties.sessionToken,
  Warnings: RemarkFields.warnings,
};
