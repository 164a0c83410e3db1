/**
 * The schema. Instants are milliseconds. `rows.ts` describes the columns; the tables of the sign-in library are as that
 * library requires them.
 */
import type { Kysely } from 'kysely';
import { changeSchema } from '../dialect/dialect.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await changeSchema(db, tables);
}

const tables = `
-- Installation
create table "installation" ("id" text primary key, "createdAt" bigint not null, "keyId" text, "cluster" text);
create table "storeMoves" (
  "id" integer primary key, "move" text not null, "side" text not null, "isDone" integer not null,
  "installation" text not null, "place" text not null, "run" text not null, "at" bigint not null
);
create table "quarantine" (
  "deploymentId" text not null primary key, "firstSeenAt" bigint not null, "acceptedAt" bigint, "decision" text,
  "things" text not null
);
create table "sweepState" (
  "id" integer not null primary key, "epoch" bigint not null, "acceptedEpoch" bigint not null, "hold" text
);
create table "duties" ("name" text primary key, "holder" text not null, "heldUntil" bigint not null);
create table "spentProofs" ("hash" text primary key, "expiresAt" bigint not null);
create index "spentProofs_expiresAt" on "spentProofs" ("expiresAt");
create table "edges" (
  "id" text primary key, "machine" text not null, "directory" text not null, "version" bigint not null,
  "answersUntil" bigint not null
);
-- One row. Its lock orders the transactions that write routes.
create table "routeTable" ("id" integer primary key, "version" bigint not null);
insert into "routeTable" ("id", "version") values (1, 1);

-- Accounts, as the sign-in library requires them, and sessions
create table "accounts" (
  "id" text not null primary key, "name" text not null, "email" text not null unique, "emailVerified" boolean not null,
  "image" text, "createdAt" date not null, "updatedAt" date not null, "tier" text
);
create table "signIns" (
  "id" text not null primary key, "expiresAt" date not null, "token" text not null unique, "createdAt" date not null,
  "updatedAt" date not null, "ipAddress" text, "userAgent" text,
  "userId" text not null references "accounts" ("id") on delete cascade
);
create index "signIns_userId_idx" on "signIns" ("userId");
create table "credentials" (
  "id" text not null primary key, "accountId" text not null, "providerId" text not null,
  "userId" text not null references "accounts" ("id") on delete cascade, "accessToken" text, "refreshToken" text,
  "idToken" text, "accessTokenExpiresAt" date, "refreshTokenExpiresAt" date, "scope" text, "password" text,
  "createdAt" date not null, "updatedAt" date not null
);
create index "credentials_userId_idx" on "credentials" ("userId");
create table "verifications" (
  "id" text not null primary key, "identifier" text not null, "value" text not null, "expiresAt" date not null,
  "createdAt" date not null, "updatedAt" date not null
);
create index "verifications_identifier_idx" on "verifications" ("identifier");
create table "passkeys" (
  "id" text not null primary key, "name" text, "publicKey" text not null,
  "userId" text not null references "accounts" ("id") on delete cascade, "credentialID" text not null,
  "counter" integer not null, "deviceType" text not null, "backedUp" boolean not null, "transports" text,
  "createdAt" date, "aaguid" text
);
create index "passkeys_credentialID_idx" on "passkeys" ("credentialID");
create index "passkeys_userId_idx" on "passkeys" ("userId");
create table "apiKeys" (
  "id" text not null primary key, "accountId" text not null references "accounts" ("id") on delete cascade,
  "name" text not null, "start" text not null, "keyHash" text not null unique, "createdAt" bigint not null,
  "lastUsedAt" bigint
);
create index "apiKeys_account" on "apiKeys" ("accountId");
create table "logins" (
  "deviceHash" text not null primary key, "userHash" text not null unique, "machine" text not null,
  "address" text not null, "client" text not null, "createdAt" bigint not null, "expiresAt" bigint not null,
  "nextPollAt" bigint not null, "intervalMs" bigint not null,
  "accountId" text references "accounts" ("id") on delete cascade, "decision" text
);
create index "logins_accountId" on "logins" ("accountId");
create index "logins_expiresAt" on "logins" ("expiresAt");
create table "sessions" (
  "id" text primary key, "tokenHash" text not null unique, "createdAt" bigint not null,
  "accountId" text references "accounts" ("id"), "tokenMadeAt" bigint not null, "tokenMadeFrom" text, "tokenUsedAt" bigint,
  "tokenUsedFrom" text, "tokenEndedAt" bigint, "starts" text default 'free' not null
);
create index "sessions_account" on "sessions" ("accountId");

-- Deployments
create table "deployments" (
  "id" text primary key, "sessionId" text not null references "sessions" ("id"), "applicationName" text not null,
  "environment" text not null, "label" text not null unique, "revision" integer not null, "servingRevision" integer,
  "generation" integer not null, "state" text not null, "progress" integer not null, "pods" text not null,
  "lastLines" text not null, "endpoints" text not null, "createdAt" bigint not null, "expiresAt" bigint,
  "extensionsUsed" integer not null, "claimedAt" bigint, "heldAt" bigint, "removedAt" bigint, "goneAt" bigint,
  "progressedAt" bigint not null, "explanation" text,
  "routesVersion" bigint default 0 not null, "restorableUntil" bigint, "keptAt" bigint, "warnedOf" bigint,
  "stoppedAt" bigint, "restarts" text default '{}' not null, "cluster" text, "ownHosts" text default '[]' not null,
  "suspendedAt" bigint, "suspendedBecause" text
);
create unique index "deployments_active_name" on "deployments" ("sessionId", "applicationName")
  where "removedAt" is null and "state" <> 'expired';
create index "deployments_gone" on "deployments" ("goneAt");
create index "deployments_routes" on "deployments" ("routesVersion");
create index "deployments_session" on "deployments" ("sessionId", "applicationName");
create table "revisions" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "number" integer not null,
  "spec" bytea not null, "document" bytea not null, "createdAt" bigint not null,
  "memoryBytes" bigint not null, "cpuMillis" bigint not null, "diskBytes" bigint not null, "images" text not null,
  "containers" integer not null, "volumes" integer not null, "gpus" integer not null, "volumeSizes" text not null,
  "askedBy" text not null, "repeats" integer, "outcome" text, "settledAt" bigint,
  constraint "revisions_key" primary key ("deploymentId", "number")
);
create table "revisionImages" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "revision" integer not null,
  "image" text not null, "reference" text not null,
  constraint "revisionImages_key" primary key ("deploymentId", "revision", "image")
);
create table "seeds" (
  "deploymentId" text primary key references "deployments" ("id") on delete cascade, "seed" bytea not null,
  "valuesOf" text
);
create table "events" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "number" integer not null,
  "sequence" integer not null, "kind" text not null, "identity" text, "fields" text not null, "count" integer not null,
  "firstAt" bigint not null, "at" bigint not null,
  constraint "events_key" primary key ("deploymentId", "number")
);
create unique index "events_sequence" on "events" ("deploymentId", "sequence");
create table "evictions" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "revision" integer not null,
  "pod" text not null, "replica" integer not null, "at" bigint not null, "because" text not null
);
create index "evictions_deployment" on "evictions" ("deploymentId", "revision");
create table "leases" (
  "deploymentId" text primary key references "deployments" ("id") on delete cascade, "dueAt" bigint, "token" text,
  "leasedUntil" bigint, "observedHash" text
);
create index "leases_due" on "leases" ("dueAt");
create index "leases_held" on "leases" ("leasedUntil");
create table "claims" (
  "tokenHash" text primary key, "deploymentId" text not null references "deployments" ("id") on delete cascade,
  "createdAt" bigint not null, "expiresAt" bigint not null
);
create index "claims_deployment" on "claims" ("deploymentId");
-- The reference is deferred: the answer to a request is written before its deployment, in the same transaction.
create table "idempotency" (
  "keyHash" text primary key, "bodyHash" text not null, "deploymentId" text not null, "sessionToken" bytea not null,
  "expiresAt" bigint not null,
  constraint "idempotency_deployment" foreign key ("deploymentId") references "deployments" ("id") on delete cascade deferrable initially deferred
);
create index "idempotency_deployment" on "idempotency" ("deploymentId");
create table "origins" (
  "deploymentId" text primary key references "deployments" ("id") on delete cascade, "address" text not null,
  "client" text not null
);
create index "origins_client" on "origins" ("client");
create table "shareLinks" (
  "deploymentId" text primary key references "deployments" ("id") on delete cascade, "tokenHash" text not null unique,
  "token" bytea not null, "createdAt" bigint not null
);
create table "keptMetrics" (
  "deploymentId" text not null, "at" bigint not null, "process" text not null, "metrics" text not null,
  constraint "keptMetricsKey" primary key ("deploymentId", "at", "process")
);
create index "keptMetricsByTime" on "keptMetrics" ("at");

-- Images
create table "privateRepositories" ("repository" text primary key);
create table "imageAccess" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "repository" text not null,
  constraint "imageAccess_key" primary key ("deploymentId", "repository")
);
create table "pulledImages" ("reference" text primary key, "lastUsedAt" bigint not null);
-- Without references: blobs of a removed owner stay for a grace period and must be found until then.
create table "imageNamespaces" (
  "name" text primary key, "sessionId" text, "accountId" text, "client" text not null, "createdAt" bigint not null,
  "aliveAt" bigint not null
);
create table "pushedBlobs" (
  "namespace" text not null references "imageNamespaces" ("name") on delete cascade, "digest" text not null,
  "sizeBytes" bigint not null, "seenAt" bigint not null,
  constraint "pushedBlobs_key" primary key ("namespace", "digest")
);
create index "pushedBlobs_digest" on "pushedBlobs" ("digest");
create table "pushedManifests" (
  "repository" text not null, "digest" text not null,
  "namespace" text not null references "imageNamespaces" ("name") on delete cascade, "mediaType" text not null,
  "sizeBytes" bigint not null, "pushedAt" bigint not null, "usedAt" bigint not null,
  constraint "pushedManifests_key" primary key ("repository", "digest")
);
create index "pushedManifests_digest" on "pushedManifests" ("digest");
create index "pushedManifests_namespace" on "pushedManifests" ("namespace");
create table "manifestParts" (
  "repository" text not null, "manifest" text not null, "digest" text not null, "kind" text not null,
  constraint "manifestParts_key" primary key ("repository", "manifest", "digest"),
  constraint "manifestParts_manifest" foreign key ("repository", "manifest") references "pushedManifests" ("repository", "digest") on delete cascade
);
create index "manifestParts_digest" on "manifestParts" ("digest");
create table "pushedTags" (
  "repository" text not null, "tag" text not null, "digest" text not null, "pushedAt" bigint not null,
  constraint "pushedTags_key" primary key ("repository", "tag"),
  constraint "pushedTags_manifest" foreign key ("repository", "digest") references "pushedManifests" ("repository", "digest") on delete cascade
);

-- Builds of images from source. 'images' is sealed: build arguments and secrets are in it.
create table "builds" (
  "deploymentId" text not null references "deployments" ("id") on delete cascade, "revision" integer not null,
  "state" text not null, "source" text not null, "content" text not null, "place" text not null, "images" bytea not null, "log" text not null,
  "tries" integer not null, "createdAt" bigint not null, "startedAt" bigint, "endedAt" bigint, "problem" text,
  "hint" text, "pods" text not null, "lastLines" text not null,
  constraint "builds_key" primary key ("deploymentId", "revision")
);
create index "builds_state" on "builds" ("state", "createdAt");

-- Domains and certificates
-- One row per account and name. Several accounts may try to verify a name; the index gives it to one of them. The row of
-- a released name stays while the name is held for its owner.
create table "domains" (
  "name" text not null, "accountId" text not null, "deploymentId" text not null, "redirectTo" text,
  "addedAt" bigint not null, "verifiedAt" bigint, "failingSince" bigint, "checkedAt" bigint,
  "nextCheckAt" bigint not null, "finding" text, "releasedAt" bigint, "releasedBecause" text, "heldUntil" bigint,
  "told" text,
  constraint "domains_key" primary key ("name", "accountId")
);
create index "domains_deployment" on "domains" ("deploymentId");
create index "domains_due" on "domains" ("nextCheckAt");
create unique index "domains_owner" on "domains" ("name")
  where "verifiedAt" is not null and "releasedAt" is null;
create table "certificates" (
  "host" text not null primary key, "pem" bytea, "firstIssuedAt" bigint, "issuedAt" bigint, "expiresAt" bigint,
  "renewAt" bigint, "askAt" bigint, "orderedAt" bigint not null, "failures" integer not null,
  "nextTryAt" bigint not null, "problem" text, "told" text
);
create table "acmeAccounts" ("directory" text not null primary key, "key" bytea not null);
create table "acmeChallenges" (
  "token" text not null primary key, "host" text not null, "answer" text not null, "expiresAt" bigint not null
);

-- Snapshots and backups
-- Without references: a row stays until the data that it names has left its place.
create table "snapshots" (
  "id" text not null primary key, "deploymentId" text not null, "revision" integer not null, "reason" text not null,
  "state" text not null, "createdAt" bigint not null, "takenAt" bigint, "placeId" text, "volumes" text not null,
  "totalBytes" bigint, "addedBytes" bigint, "pausedMs" integer, "tries" integer not null, "nextTryAt" bigint not null,
  "problem" text, "dumps" text default '[]' not null, "toldAt" bigint, "begunAt" bigint
);
create index "snapshots_deployment" on "snapshots" ("deploymentId");
create index "snapshots_state" on "snapshots" ("state");
create table "restores" (
  "id" text not null primary key, "deploymentId" text not null, "snapshotId" text not null, "volumes" text not null,
  "state" text not null, "safetyId" text, "filledKey" text, "createdAt" bigint not null, "finishedAt" bigint,
  "tries" integer not null, "nextTryAt" bigint not null, "problem" text, "fromDeploymentId" text, "progress" integer,
  "takesSafety" integer default 1 not null, "dumps" text default '[]' not null, "toldAt" bigint
);
create index "restores_deployment" on "restores" ("deploymentId");
create table "snapshotWishes" (
  "deploymentId" text primary key references "deployments" ("id") on delete cascade, "beforeUpdates" integer not null
);
create table "snapshotPlaces" ("place" text not null primary key, "password" bytea not null);
create table "backups" (
  "id" text not null primary key, "at" bigint not null, "place" text not null, "totalBytes" bigint not null,
  "addedBytes" bigint not null
);

-- Notifications
create table "notificationChoices" (
  "accountId" text primary key references "accounts" ("id") on delete cascade, "mail" text not null,
  "webhook" text not null, "webhookUrl" text, "webhookSecret" bytea, "webhookFailures" integer not null,
  "webhookDisabledAt" bigint, "webhookAnswer" text, "webhookTriedAt" bigint
);
create table "notices" (
  "id" text not null primary key, "accountId" text not null references "accounts" ("id") on delete cascade,
  "subject" text not null, "content" text not null, "createdAt" bigint not null,
  constraint "notices_subject" unique ("accountId", "subject")
);
create index "notices_age" on "notices" ("createdAt");
create table "noticeDeliveries" (
  "noticeId" text not null references "notices" ("id") on delete cascade, "channel" text not null,
  "dueAt" bigint not null, "tries" integer not null,
  constraint "noticeDeliveries_key" primary key ("noticeId", "channel")
);
create index "noticeDeliveries_due" on "noticeDeliveries" ("dueAt");

-- Operators
create table "bans" (
  "kind" text not null, "subject" text not null, "reason" text not null, "createdAt" bigint not null,
  constraint "bans_key" primary key ("kind", "subject")
);
create table "auditEntries" (
  "number" integer primary key, "at" bigint not null, "actor" text not null, "action" text not null,
  "subject" text not null, "reason" text not null
);
create index "auditEntriesByTime" on "auditEntries" ("action", "at");
`;
