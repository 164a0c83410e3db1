/** The names under which the description has shapes that stand in several places. */
import { AccountRecord, SignInMethodsRecord } from '../account/account-endpoints.ts';
import { ApiKeyRecord } from '../account/api-key-endpoints.ts';
import { LimitsRecord } from '../admission/quota-endpoints.ts';
import { ClaimedRecord, ClaimViewRecord } from '../claims/claim-endpoints.ts';
import { DomainRecord } from '../custom-domains/domain-records.ts';
import * as records from '../deployments/deployment-schemas.ts';
import { ApplicationFields, TokenBody } from '../requests/callers.ts';
import { SharedStatusRecord } from '../sharing/share-endpoints.ts';

const { DeploymentRecord, ReservationRecord, StartRecord, UpdateRecord } = records;

export const namedSchemas = {
  Account: AccountRecord,
  Application: ApplicationFields,
  Claimed: ClaimedRecord,
  ClaimView: ClaimViewRecord,
  Deployment: DeploymentRecord,
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
  Reservation: ReservationRecord,
  Session: TokenBody,
  SharedStatus: SharedStatusRecord,
  SignInMethods: SignInMethodsRecord,
  Started: StartRecord,
  Status: StartRecord.properties.status,
  Updated: UpdateRecord,
};
