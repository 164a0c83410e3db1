/** What the service answers: the types of its own schemas, so that a change there does not compile here. */
import type { Static } from 'typebox';
import type { AccountRecord, SignInMethodsRecord } from '../../../src/api/account/account-endpoints.ts';
import type { ApiKeyRecord } from '../../../src/api/account/api-key-endpoints.ts';
import type { ClaimedRecord, ClaimViewRecord } from '../../../src/api/claims/claim-endpoints.ts';
import type { TokenRecord } from '../../../src/api/claims/token-endpoints.ts';
import type {
  DeploymentRecord,
  ReservationRecord,
  StartRecord,
  UpdateRecord,
} from '../../../src/api/deployments/deployment-records.ts';
import type {
  ConfigurationRecord,
  OutlineRecord,
  PreviewRecord,
} from '../../../src/api/deployments/revision-endpoints.ts';

export type Started = Static<typeof StartRecord>;
export type Updated = Static<typeof UpdateRecord>;
export type Reservation = Static<typeof ReservationRecord>;
/** One deployment, as its page shows it. */
export type Deployment = Static<typeof DeploymentRecord>;
export type Outline = Static<typeof OutlineRecord>;
export type Configuration = Static<typeof ConfigurationRecord>;
export type Preview = Static<typeof PreviewRecord>;
export type PodChange = Preview['pods'][number];
export type Status = Reservation['status'];
export type PodState = NonNullable<Status['pods']>[number];
export type Account = Static<typeof AccountRecord>;
export type SignInMethods = Static<typeof SignInMethodsRecord>;
export type SessionToken = Static<typeof TokenRecord>;
export type ApiKey = Static<typeof ApiKeyRecord>;
/** What a claim link would claim. */
export type Claim = Static<typeof ClaimViewRecord>;
export type Claimed = Static<typeof ClaimedRecord>;
