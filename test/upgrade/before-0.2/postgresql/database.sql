CREATE TABLE public.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    "emailVerified" boolean NOT NULL,
    image text COLLATE pg_catalog."C",
    "createdAt" timestamp with time zone NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL,
    tier text COLLATE pg_catalog."C"
);
CREATE TABLE public."acmeAccounts" (
    directory text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL
);
CREATE TABLE public."acmeChallenges" (
    token text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL COLLATE pg_catalog."C",
    answer text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" bigint NOT NULL
);
CREATE TABLE public."apiKeys" (
    id text NOT NULL COLLATE pg_catalog."C",
    "accountId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    start text NOT NULL COLLATE pg_catalog."C",
    "keyHash" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "lastUsedAt" bigint
);
CREATE TABLE public."auditEntries" (
    number integer NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.backups (
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    place text NOT NULL COLLATE pg_catalog."C",
    "totalBytes" bigint NOT NULL,
    "addedBytes" bigint NOT NULL
);
CREATE TABLE public.bans (
    kind text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL
);
CREATE TABLE public.certificates (
    host text NOT NULL COLLATE pg_catalog."C",
    pem bytea,
    "firstIssuedAt" bigint,
    "issuedAt" bigint,
    "expiresAt" bigint,
    "renewAt" bigint,
    "askAt" bigint,
    "orderedAt" bigint NOT NULL,
    failures integer NOT NULL,
    "nextTryAt" bigint NOT NULL,
    problem text COLLATE pg_catalog."C",
    told text COLLATE pg_catalog."C"
);
CREATE TABLE public.claims (
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "expiresAt" bigint NOT NULL
);
CREATE TABLE public."commitmentTotals" (
    id integer NOT NULL,
    "memoryBytes" bigint NOT NULL,
    "cpuMillis" bigint NOT NULL,
    "diskBytes" bigint NOT NULL,
    containers bigint NOT NULL,
    volumes bigint NOT NULL,
    gpus bigint NOT NULL
);
CREATE TABLE public.commitments (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "memoryBytes" bigint NOT NULL,
    "cpuMillis" bigint NOT NULL,
    "diskBytes" bigint NOT NULL,
    containers bigint NOT NULL,
    volumes bigint NOT NULL,
    gpus bigint NOT NULL
);
CREATE TABLE public.credentials (
    id text NOT NULL COLLATE pg_catalog."C",
    "accountId" text NOT NULL COLLATE pg_catalog."C",
    "providerId" text NOT NULL COLLATE pg_catalog."C",
    "userId" text NOT NULL COLLATE pg_catalog."C",
    "accessToken" text COLLATE pg_catalog."C",
    "refreshToken" text COLLATE pg_catalog."C",
    "idToken" text COLLATE pg_catalog."C",
    "accessTokenExpiresAt" timestamp with time zone,
    "refreshTokenExpiresAt" timestamp with time zone,
    scope text COLLATE pg_catalog."C",
    password text COLLATE pg_catalog."C",
    "createdAt" timestamp with time zone NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL
);
CREATE TABLE public.deployments (
    id text NOT NULL COLLATE pg_catalog."C",
    "sessionId" text NOT NULL COLLATE pg_catalog."C",
    "applicationName" text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    "servingRevision" integer,
    generation integer NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    progress integer NOT NULL,
    pods text NOT NULL COLLATE pg_catalog."C",
    "lastLines" text NOT NULL COLLATE pg_catalog."C",
    endpoints text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "expiresAt" bigint,
    "extensionsUsed" integer NOT NULL,
    "claimedAt" bigint,
    "heldAt" bigint,
    "removedAt" bigint,
    "goneAt" bigint,
    "progressedAt" bigint NOT NULL,
    "sharesName" integer DEFAULT 0 NOT NULL,
    explanation text COLLATE pg_catalog."C",
    "routesVersion" bigint DEFAULT 0 NOT NULL,
    "restorableUntil" bigint,
    "keptAt" bigint,
    "warnedOf" bigint,
    "stoppedAt" bigint,
    restarts text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    cluster text COLLATE pg_catalog."C"
);
CREATE TABLE public.domains (
    name text NOT NULL COLLATE pg_catalog."C",
    "accountId" text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "redirectTo" text COLLATE pg_catalog."C",
    "addedAt" bigint NOT NULL,
    "verifiedAt" bigint,
    "failingSince" bigint,
    "checkedAt" bigint,
    "nextCheckAt" bigint NOT NULL,
    finding text COLLATE pg_catalog."C",
    "releasedAt" bigint,
    "releasedBecause" text COLLATE pg_catalog."C",
    "heldUntil" bigint,
    told text COLLATE pg_catalog."C"
);
CREATE TABLE public.duties (
    name text NOT NULL COLLATE pg_catalog."C",
    holder text NOT NULL COLLATE pg_catalog."C",
    "heldUntil" bigint NOT NULL
);
CREATE TABLE public.edges (
    id text NOT NULL COLLATE pg_catalog."C",
    machine text NOT NULL COLLATE pg_catalog."C",
    directory text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    "answersUntil" bigint NOT NULL
);
CREATE TABLE public.events (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    sequence integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    identity text COLLATE pg_catalog."C",
    fields text NOT NULL COLLATE pg_catalog."C",
    count integer NOT NULL,
    "firstAt" bigint NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evictions (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    pod text NOT NULL COLLATE pg_catalog."C",
    replica integer NOT NULL,
    at bigint NOT NULL,
    because text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.idempotency (
    "keyHash" text NOT NULL COLLATE pg_catalog."C",
    "bodyHash" text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "sessionToken" bytea NOT NULL,
    "expiresAt" bigint NOT NULL
);
CREATE TABLE public."imageAccess" (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    repository text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."imageNamespaces" (
    name text NOT NULL COLLATE pg_catalog."C",
    "sessionId" text COLLATE pg_catalog."C",
    "accountId" text COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "aliveAt" bigint NOT NULL
);
CREATE TABLE public.installation (
    id text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "keyId" text COLLATE pg_catalog."C"
);
CREATE TABLE public."keptMetrics" (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    process text NOT NULL COLLATE pg_catalog."C",
    metrics text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.leases (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "dueAt" bigint,
    token text COLLATE pg_catalog."C",
    "leasedUntil" bigint,
    outline text COLLATE pg_catalog."C",
    "observedHash" text COLLATE pg_catalog."C"
);
CREATE TABLE public.logins (
    "deviceHash" text NOT NULL COLLATE pg_catalog."C",
    "userHash" text NOT NULL COLLATE pg_catalog."C",
    machine text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "expiresAt" bigint NOT NULL,
    "nextPollAt" bigint NOT NULL,
    "intervalMs" bigint NOT NULL,
    "accountId" text COLLATE pg_catalog."C",
    decision text COLLATE pg_catalog."C"
);
CREATE TABLE public."manifestParts" (
    repository text NOT NULL COLLATE pg_catalog."C",
    manifest text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.origins (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.passkeys (
    id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    "publicKey" text NOT NULL COLLATE pg_catalog."C",
    "userId" text NOT NULL COLLATE pg_catalog."C",
    "credentialID" text NOT NULL COLLATE pg_catalog."C",
    counter integer NOT NULL,
    "deviceType" text NOT NULL COLLATE pg_catalog."C",
    "backedUp" boolean NOT NULL,
    transports text COLLATE pg_catalog."C",
    "createdAt" timestamp with time zone,
    aaguid text COLLATE pg_catalog."C"
);
CREATE TABLE public."privateRepositories" (
    repository text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."pulledImages" (
    reference text NOT NULL COLLATE pg_catalog."C",
    "lastUsedAt" bigint NOT NULL
);
CREATE TABLE public."pushedBlobs" (
    namespace text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    "sizeBytes" bigint NOT NULL,
    "seenAt" bigint NOT NULL
);
CREATE TABLE public."pushedManifests" (
    repository text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    "mediaType" text NOT NULL COLLATE pg_catalog."C",
    "sizeBytes" bigint NOT NULL,
    "pushedAt" bigint NOT NULL,
    "usedAt" bigint NOT NULL
);
CREATE TABLE public."pushedTags" (
    repository text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    "pushedAt" bigint NOT NULL
);
CREATE TABLE public.restores (
    id text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "snapshotId" text NOT NULL COLLATE pg_catalog."C",
    volumes text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    "safetyId" text COLLATE pg_catalog."C",
    "filledKey" text COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "finishedAt" bigint,
    tries integer NOT NULL,
    "nextTryAt" bigint NOT NULL,
    problem text COLLATE pg_catalog."C",
    "fromDeploymentId" text COLLATE pg_catalog."C",
    progress integer,
    "takesSafety" integer DEFAULT 1 NOT NULL
);
CREATE TABLE public."revisionImages" (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    image text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.revisions (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    spec bytea NOT NULL,
    document bytea NOT NULL,
    "createdAt" bigint NOT NULL,
    "memoryBytes" bigint DEFAULT 0 NOT NULL,
    "cpuMillis" bigint DEFAULT 0 NOT NULL,
    "diskBytes" bigint DEFAULT 0 NOT NULL,
    images text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    containers integer,
    volumes integer,
    gpus integer,
    "volumeSizes" text COLLATE pg_catalog."C",
    "askedBy" text COLLATE pg_catalog."C",
    repeats integer,
    outcome text COLLATE pg_catalog."C",
    "settledAt" bigint
);
CREATE TABLE public."routeTable" (
    id integer NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.seeds (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    seed bytea NOT NULL,
    "valuesOf" text COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "accountId" text COLLATE pg_catalog."C",
    "tokenMadeAt" bigint,
    "tokenMadeFrom" text COLLATE pg_catalog."C",
    "tokenUsedAt" bigint,
    "tokenUsedFrom" text COLLATE pg_catalog."C",
    "tokenEndedAt" bigint,
    starts text DEFAULT 'free'::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."shareLinks" (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    token bytea NOT NULL,
    "createdAt" bigint NOT NULL
);
CREATE TABLE public."signIns" (
    id text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" timestamp with time zone NOT NULL,
    token text NOT NULL COLLATE pg_catalog."C",
    "createdAt" timestamp with time zone NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL,
    "ipAddress" text COLLATE pg_catalog."C",
    "userAgent" text COLLATE pg_catalog."C",
    "userId" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."snapshotPlaces" (
    place text NOT NULL COLLATE pg_catalog."C",
    password bytea NOT NULL
);
CREATE TABLE public."snapshotWishes" (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "beforeUpdates" integer NOT NULL
);
CREATE TABLE public.snapshots (
    id text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    reason text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL,
    "takenAt" bigint,
    "placeId" text COLLATE pg_catalog."C",
    volumes text NOT NULL COLLATE pg_catalog."C",
    "totalBytes" bigint,
    "addedBytes" bigint,
    "pausedMs" integer,
    tries integer NOT NULL,
    "nextTryAt" bigint NOT NULL,
    problem text COLLATE pg_catalog."C"
);
CREATE TABLE public."spentProofs" (
    hash text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" bigint NOT NULL
);
CREATE TABLE public."storeMoves" (
    id integer NOT NULL,
    move text NOT NULL COLLATE pg_catalog."C",
    side text NOT NULL COLLATE pg_catalog."C",
    "isDone" integer NOT NULL,
    installation text NOT NULL COLLATE pg_catalog."C",
    place text NOT NULL COLLATE pg_catalog."C",
    run text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.verifications (
    id text NOT NULL COLLATE pg_catalog."C",
    identifier text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" timestamp with time zone NOT NULL,
    "createdAt" timestamp with time zone NOT NULL,
    "updatedAt" timestamp with time zone NOT NULL
);
INSERT INTO public.accounts VALUES ('KX30act0zflAPCnROV23dFHPSwK3IjDk', 'Ada', 'ada@example.com', false, NULL, '2026-11-26 12:56:01.665+00', '2026-11-26 12:56:01.665+00', NULL);
INSERT INTO public."auditEntries" VALUES (1, 1795697760816, 'root', 'ban image', 'example.com/miner', 'mines coins');
INSERT INTO public.bans VALUES ('image', 'example.com/miner', 'mines coins', 1795697760816);
INSERT INTO public."commitmentTotals" VALUES (1, 402653184, 756, 1492462080, 12, 3, 0);
INSERT INTO public.commitments VALUES ('m2hnl273wy', 201326592, 378, 230331648, 6, 2, 0);
INSERT INTO public.commitments VALUES ('i2bdbrba7n', 67108864, 126, 1142130432, 2, 1, 0);
INSERT INTO public.commitments VALUES ('7xgrlogzuf', 67108864, 126, 60000000, 2, 0, 0);
INSERT INTO public.commitments VALUES ('c2cssa47gr', 67108864, 126, 60000000, 2, 0, 0);
INSERT INTO public.credentials VALUES ('dqqsCNF1mchtProfznZwDz0gvSdAIzDA', 'KX30act0zflAPCnROV23dFHPSwK3IjDk', 'credential', 'KX30act0zflAPCnROV23dFHPSwK3IjDk', NULL, NULL, NULL, NULL, NULL, NULL, '9e4819394170cac67ee527dc589c2889:cab1050a85be61212a60ec19d9d3db46f47a33779c4300f1c336d4b85d06ccd0eccb66b8af702b1843bf9a14607c33cfd6c65514efe079101d19da6e9c869a8b', '2026-11-26 12:56:01.683+00', '2026-11-26 12:56:01.683+00');
INSERT INTO public.deployments VALUES ('7xgrlogzuf', '5a841b7f-0ab6-4704-a931-4d5206227f5d', 'updated', 'smart-fox', 'smart-fox-updated', 2, 2, 2, 'running', 100, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":2,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.1.4","port":80}]', 1795697751668, 1795704951668, 0, NULL, NULL, NULL, NULL, 1795697754554, 0, NULL, 5, NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO public.deployments VALUES ('m2hnl273wy', '30e0fb68-14cc-4661-b7d8-05fdfeb0d542', 'everything', 'proud-finch', 'proud-finch-everything', 1, 1, 1, 'running', 100, '[{"name":"members","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0,0]},{"name":"migration","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"lastExit":{"code":0,"reason":"exited with code 0","hint":"a service has to go on running; what ends is a job","at":1795697746838},"restartedAt":[],"settledRestarts":[0]},{"name":"agent","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0,0]}]', '[]', '[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}]', 1795697744065, 1795704944065, 0, NULL, NULL, NULL, NULL, 1795697749856, 0, NULL, 2, NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO public.deployments VALUES ('i2bdbrba7n', '9cd8799e-4276-4774-aa4d-e5dee9cab50d', 'votes', 'sage-skunk', 'sage-skunk-votes', 1, 1, 1, 'running', 100, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.0.131","port":80}]', 1795697749946, 1795704949946, 0, NULL, NULL, NULL, NULL, 1795697751507, 0, NULL, 3, NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO public.deployments VALUES ('c2cssa47gr', '41a005ce-1850-4cf7-acf4-bb92820ee15d', 'updated', 'civic-magpie', 'civic-magpie-updated', 2, 1, 2, 'failed', 57, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.2.3","port":80}]', 1795697754576, 1795704954576, 0, NULL, NULL, NULL, NULL, 1795697759725, 0, '{"kind":"failed","pods":["web"],"because":"exited with code 3","repeated":"crash loop, restarted 5 times","hint":"it has written nothing","servingRevision":1}', 6, NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO public.edges VALUES ('7elwjfkfik', '4c3179ae-519f-4e07-b97f-57bcb63df502 pid:[4026531836]', '/tmp/berth-DFBblx', 6, 9999999999000);
INSERT INTO public.events VALUES ('m2hnl273wy', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795697744065, 1795697744065);
INSERT INTO public.events VALUES ('m2hnl273wy', 2, 2, 'pod', '[["kind","pod"],["pod","members"],["state","waiting"]]', '{"pod":"members","state":"waiting"}', 1, 1795697744641, 1795697744641);
INSERT INTO public.events VALUES ('m2hnl273wy', 3, 3, 'pod', '[["kind","pod"],["pod","migration"],["state","waiting"]]', '{"pod":"migration","state":"waiting"}', 1, 1795697744641, 1795697744641);
INSERT INTO public.events VALUES ('m2hnl273wy', 4, 4, 'pod', '[["kind","pod"],["pod","agent"],["state","waiting"]]', '{"pod":"agent","state":"waiting"}', 1, 1795697744641, 1795697744641);
INSERT INTO public.events VALUES ('m2hnl273wy', 5, 5, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697744641, 1795697744641);
INSERT INTO public.events VALUES ('m2hnl273wy', 6, 6, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795697744641, 1795697744641);
INSERT INTO public.events VALUES ('m2hnl273wy', 7, 7, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795697745014, 1795697745014);
INSERT INTO public.events VALUES ('m2hnl273wy', 8, 8, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",16777216],["volume","members-data"]]', '{"because":"missing","operation":"create-volume","volume":"members-data","sizeBytes":16777216}', 1, 1795697745234, 1795697745234);
INSERT INTO public.events VALUES ('m2hnl273wy', 9, 9, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",16777216],["volume","members-1-data"]]', '{"because":"missing","operation":"create-volume","volume":"members-1-data","sizeBytes":16777216}', 1, 1795697745395, 1795697745395);
INSERT INTO public.events VALUES ('m2hnl273wy', 10, 10, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","members"],["replica",0],["revision",1],["workload","berth-m2hnl273wy-members-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-members-1-0","pod":"members","revision":1,"replica":0}', 1, 1795697746333, 1795697746333);
INSERT INTO public.events VALUES ('m2hnl273wy', 11, 11, 'progress', '[["kind","progress"],["progress",45]]', '{"progress":45}', 1, 1795697746334, 1795697746334);
INSERT INTO public.events VALUES ('m2hnl273wy', 12, 12, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","migration"],["replica",0],["revision",1],["workload","berth-m2hnl273wy-migration-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-migration-1-0","pod":"migration","revision":1,"replica":0}', 1, 1795697746808, 1795697746808);
INSERT INTO public.events VALUES ('m2hnl273wy', 13, 13, 'pod', '[["kind","pod"],["pod","migration"],["state","starting"]]', '{"pod":"migration","state":"starting"}', 1, 1795697746808, 1795697746808);
INSERT INTO public.events VALUES ('m2hnl273wy', 14, 14, 'progress', '[["kind","progress"],["progress",47]]', '{"progress":47}', 1, 1795697746808, 1795697746808);
INSERT INTO public.events VALUES ('m2hnl273wy', 15, 15, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-m2hnl273wy-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795697747636, 1795697747636);
INSERT INTO public.events VALUES ('m2hnl273wy', 16, 16, 'progress', '[["kind","progress"],["progress",49]]', '{"progress":49}', 1, 1795697747637, 1795697747637);
INSERT INTO public.events VALUES ('m2hnl273wy', 17, 17, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",1],["revision",1],["workload","berth-m2hnl273wy-web-1-1"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-web-1-1","pod":"web","revision":1,"replica":1}', 1, 1795697748270, 1795697748270);
INSERT INTO public.events VALUES ('m2hnl273wy', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697748270, 1795697748270);
INSERT INTO public.events VALUES ('m2hnl273wy', 19, 19, 'progress', '[["kind","progress"],["progress",52]]', '{"progress":52}', 1, 1795697748270, 1795697748270);
INSERT INTO public.events VALUES ('m2hnl273wy', 20, 20, 'pod', '[["kind","pod"],["pod","migration"],["state","ready"]]', '{"pod":"migration","state":"ready"}', 1, 1795697748378, 1795697748378);
INSERT INTO public.events VALUES ('m2hnl273wy', 21, 21, 'pod', '[["because","does not listen on port 3000"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"does not listen on port 3000"}', 1, 1795697748378, 1795697748378);
INSERT INTO public.events VALUES ('m2hnl273wy', 22, 22, 'progress', '[["kind","progress"],["progress",73]]', '{"progress":73}', 1, 1795697748378, 1795697748378);
INSERT INTO public.events VALUES ('m2hnl273wy', 23, 23, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","members"],["replica",1],["revision",1],["workload","berth-m2hnl273wy-members-1-1"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-members-1-1","pod":"members","revision":1,"replica":1}', 1, 1795697748802, 1795697748802);
INSERT INTO public.events VALUES ('m2hnl273wy', 24, 24, 'pod', '[["kind","pod"],["pod","members"],["state","starting"]]', '{"pod":"members","state":"starting"}', 1, 1795697748803, 1795697748803);
INSERT INTO public.events VALUES ('m2hnl273wy', 25, 25, 'progress', '[["kind","progress"],["progress",76]]', '{"progress":76}', 1, 1795697748803, 1795697748803);
INSERT INTO public.events VALUES ('m2hnl273wy', 26, 26, 'pod', '[["kind","pod"],["pod","members"],["state","ready"]]', '{"pod":"members","state":"ready"}', 1, 1795697748861, 1795697748861);
INSERT INTO public.events VALUES ('m2hnl273wy', 27, 27, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795697748861, 1795697748861);
INSERT INTO public.events VALUES ('m2hnl273wy', 28, 28, 'progress', '[["kind","progress"],["progress",90]]', '{"progress":90}', 1, 1795697748861, 1795697748861);
INSERT INTO public.events VALUES ('m2hnl273wy', 29, 29, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","agent"],["replica",0],["revision",1],["workload","berth-m2hnl273wy-agent-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-m2hnl273wy-agent-1-0","pod":"agent","revision":1,"replica":0}', 1, 1795697749253, 1795697749253);
INSERT INTO public.events VALUES ('m2hnl273wy', 30, 30, 'pod', '[["kind","pod"],["pod","agent"],["state","starting"]]', '{"pod":"agent","state":"starting"}', 1, 1795697749254, 1795697749254);
INSERT INTO public.events VALUES ('m2hnl273wy', 31, 31, 'progress', '[["kind","progress"],["progress",92]]', '{"progress":92}', 1, 1795697749254, 1795697749254);
INSERT INTO public.events VALUES ('m2hnl273wy', 32, 32, 'pod', '[["because","has only just started"],["kind","pod"],["pod","agent"],["state","starting"]]', '{"pod":"agent","state":"starting","because":"has only just started"}', 1, 1795697749272, 1795697749272);
INSERT INTO public.events VALUES ('m2hnl273wy', 33, 33, 'pod', '[["kind","pod"],["pod","agent"],["state","ready"]]', '{"pod":"agent","state":"ready"}', 1, 1795697749782, 1795697749782);
INSERT INTO public.events VALUES ('m2hnl273wy', 34, 34, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795697749782, 1795697749782);
INSERT INTO public.events VALUES ('m2hnl273wy', 35, 35, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}],"revision":1}', 1, 1795697749825, 1795697749825);
INSERT INTO public.events VALUES ('m2hnl273wy', 36, 36, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795697749831, 1795697749831);
INSERT INTO public.events VALUES ('i2bdbrba7n', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795697749946, 1795697749946);
INSERT INTO public.events VALUES ('i2bdbrba7n', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795697749994, 1795697749994);
INSERT INTO public.events VALUES ('i2bdbrba7n', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697749994, 1795697749994);
INSERT INTO public.events VALUES ('i2bdbrba7n', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795697749994, 1795697749994);
INSERT INTO public.events VALUES ('i2bdbrba7n', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795697750195, 1795697750195);
INSERT INTO public.events VALUES ('i2bdbrba7n', 16, 16, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795697751458, 1795697751458);
INSERT INTO public.events VALUES ('i2bdbrba7n', 17, 17, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795697751458, 1795697751458);
INSERT INTO public.events VALUES ('i2bdbrba7n', 18, 18, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.0.131","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.0.131","port":80}],"revision":1}', 1, 1795697751481, 1795697751481);
INSERT INTO public.events VALUES ('i2bdbrba7n', 19, 19, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795697751488, 1795697751488);
INSERT INTO public.events VALUES ('7xgrlogzuf', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795697751668, 1795697751668);
INSERT INTO public.events VALUES ('7xgrlogzuf', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795697751683, 1795697751683);
INSERT INTO public.events VALUES ('7xgrlogzuf', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697751683, 1795697751683);
INSERT INTO public.events VALUES ('7xgrlogzuf', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795697751683, 1795697751683);
INSERT INTO public.events VALUES ('7xgrlogzuf', 15, 15, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.1.3","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.1.3","port":80}],"revision":1}', 1, 1795697752959, 1795697752959);
INSERT INTO public.events VALUES ('7xgrlogzuf', 16, 16, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795697752969, 1795697752969);
INSERT INTO public.events VALUES ('7xgrlogzuf', 17, 17, 'intent', NULL, '{"intent":"update","revision":2}', 1, 1795697753294, 1795697753294);
INSERT INTO public.events VALUES ('c2cssa47gr', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795697754576, 1795697754576);
INSERT INTO public.events VALUES ('c2cssa47gr', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795697754615, 1795697754615);
INSERT INTO public.events VALUES ('c2cssa47gr', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697754615, 1795697754615);
INSERT INTO public.events VALUES ('c2cssa47gr', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795697754615, 1795697754615);
INSERT INTO public.events VALUES ('7xgrlogzuf', 28, 28, 'operation', '[["because","outdated"],["kind","operation"],["operation","remove"],["pod","web"],["replica",0],["revision",1],["workload","berth-7xgrlogzuf-web-1-0"]]', '{"because":"outdated","operation":"remove","workload":"berth-7xgrlogzuf-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795697754754, 1795697754754);
INSERT INTO public.events VALUES ('i2bdbrba7n', 6, 6, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",1073741824],["volume","shared.votes"]]', '{"because":"missing","operation":"create-volume","volume":"shared.votes","sizeBytes":1073741824}', 1, 1795697750302, 1795697750302);
INSERT INTO public.events VALUES ('i2bdbrba7n', 7, 7, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-i2bdbrba7n-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-i2bdbrba7n-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795697750926, 1795697750926);
INSERT INTO public.events VALUES ('i2bdbrba7n', 8, 8, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795697750927, 1795697750927);
INSERT INTO public.events VALUES ('i2bdbrba7n', 9, 9, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795697750927, 1795697750927);
INSERT INTO public.events VALUES ('i2bdbrba7n', 10, 10, 'pod', '[["because","does not listen on port 6379"],["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting","because":"does not listen on port 6379"}', 1, 1795697750972, 1795697750972);
INSERT INTO public.events VALUES ('i2bdbrba7n', 11, 11, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795697751022, 1795697751022);
INSERT INTO public.events VALUES ('i2bdbrba7n', 12, 12, 'progress', '[["kind","progress"],["progress",71]]', '{"progress":71}', 1, 1795697751022, 1795697751022);
INSERT INTO public.events VALUES ('i2bdbrba7n', 13, 13, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-i2bdbrba7n-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-i2bdbrba7n-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795697751424, 1795697751424);
INSERT INTO public.events VALUES ('i2bdbrba7n', 14, 14, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697751424, 1795697751424);
INSERT INTO public.events VALUES ('i2bdbrba7n', 15, 15, 'progress', '[["kind","progress"],["progress",78]]', '{"progress":78}', 1, 1795697751424, 1795697751424);
INSERT INTO public.events VALUES ('7xgrlogzuf', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795697751816, 1795697751816);
INSERT INTO public.events VALUES ('7xgrlogzuf', 6, 6, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-7xgrlogzuf-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-7xgrlogzuf-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795697752405, 1795697752405);
INSERT INTO public.events VALUES ('7xgrlogzuf', 7, 7, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795697752405, 1795697752405);
INSERT INTO public.events VALUES ('7xgrlogzuf', 8, 8, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795697752405, 1795697752405);
INSERT INTO public.events VALUES ('7xgrlogzuf', 9, 9, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-7xgrlogzuf-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-7xgrlogzuf-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795697752903, 1795697752903);
INSERT INTO public.events VALUES ('7xgrlogzuf', 10, 10, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697752903, 1795697752903);
INSERT INTO public.events VALUES ('7xgrlogzuf', 11, 11, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795697752903, 1795697752903);
INSERT INTO public.events VALUES ('7xgrlogzuf', 12, 12, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795697752933, 1795697752933);
INSERT INTO public.events VALUES ('7xgrlogzuf', 13, 13, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795697752933, 1795697752933);
INSERT INTO public.events VALUES ('7xgrlogzuf', 14, 14, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795697752933, 1795697752933);
INSERT INTO public.events VALUES ('7xgrlogzuf', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697753819, 1795697753819);
INSERT INTO public.events VALUES ('7xgrlogzuf', 19, 19, 'progress', '[["kind","progress"],["progress",71]]', '{"progress":71}', 1, 1795697753819, 1795697753819);
INSERT INTO public.events VALUES ('7xgrlogzuf', 20, 20, 'operation', '[["because","revision 2"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",2],["workload","berth-7xgrlogzuf-web-2-0"]]', '{"because":"revision 2","operation":"start","workload":"berth-7xgrlogzuf-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795697754338, 1795697754338);
INSERT INTO public.events VALUES ('7xgrlogzuf', 21, 21, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697754338, 1795697754338);
INSERT INTO public.events VALUES ('7xgrlogzuf', 22, 22, 'progress', '[["kind","progress"],["progress",78]]', '{"progress":78}', 1, 1795697754338, 1795697754338);
INSERT INTO public.events VALUES ('7xgrlogzuf', 23, 23, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795697754428, 1795697754428);
INSERT INTO public.events VALUES ('7xgrlogzuf', 24, 24, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795697754428, 1795697754428);
INSERT INTO public.events VALUES ('7xgrlogzuf', 25, 25, 'operation', '[["because","revision 2"],["endpoints",[{"path":"/","address":"10.200.1.4","port":80}]],["kind","operation"],["operation","route"],["revision",2]]', '{"because":"revision 2","operation":"route","endpoints":[{"path":"/","address":"10.200.1.4","port":80}],"revision":2}', 1, 1795697754451, 1795697754451);
INSERT INTO public.events VALUES ('7xgrlogzuf', 26, 26, 'state', '[["kind","state"],["revision",2],["state","running"]]', '{"state":"running","revision":2}', 1, 1795697754463, 1795697754463);
INSERT INTO public.events VALUES ('7xgrlogzuf', 27, 27, 'operation', '[["addresses",["10.200.1.3"]],["because","revision 2"],["kind","operation"],["operation","drain"]]', '{"because":"revision 2","operation":"drain","addresses":["10.200.1.3"]}', 1, 1795697754554, 1795697754554);
INSERT INTO public.events VALUES ('c2cssa47gr', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795697754773, 1795697754773);
INSERT INTO public.events VALUES ('c2cssa47gr', 6, 6, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-c2cssa47gr-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-c2cssa47gr-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795697755191, 1795697755191);
INSERT INTO public.events VALUES ('c2cssa47gr', 7, 7, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795697755191, 1795697755191);
INSERT INTO public.events VALUES ('c2cssa47gr', 8, 8, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795697755191, 1795697755191);
INSERT INTO public.events VALUES ('c2cssa47gr', 9, 9, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-c2cssa47gr-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-c2cssa47gr-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795697755580, 1795697755580);
INSERT INTO public.events VALUES ('c2cssa47gr', 10, 10, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697755580, 1795697755580);
INSERT INTO public.events VALUES ('c2cssa47gr', 11, 11, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795697755580, 1795697755580);
INSERT INTO public.events VALUES ('c2cssa47gr', 12, 12, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795697755594, 1795697755594);
INSERT INTO public.events VALUES ('c2cssa47gr', 13, 13, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795697755594, 1795697755594);
INSERT INTO public.events VALUES ('c2cssa47gr', 14, 14, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795697755594, 1795697755594);
INSERT INTO public.events VALUES ('c2cssa47gr', 15, 15, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.2.3","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.2.3","port":80}],"revision":1}', 1, 1795697755609, 1795697755609);
INSERT INTO public.events VALUES ('c2cssa47gr', 16, 16, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795697755614, 1795697755614);
INSERT INTO public.events VALUES ('c2cssa47gr', 17, 17, 'intent', NULL, '{"intent":"update","revision":2}', 1, 1795697755732, 1795697755732);
INSERT INTO public.events VALUES ('c2cssa47gr', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795697755810, 1795697755810);
INSERT INTO public.events VALUES ('c2cssa47gr', 19, 19, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795697755810, 1795697755810);
INSERT INTO public.events VALUES ('c2cssa47gr', 20, 20, 'operation', '[["because","revision 2"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",2],["workload","berth-c2cssa47gr-web-2-0"]]', '{"because":"revision 2","operation":"start","workload":"berth-c2cssa47gr-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795697756172, 1795697756172);
INSERT INTO public.events VALUES ('c2cssa47gr', 21, 21, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795697756172, 1795697756172);
INSERT INTO public.events VALUES ('c2cssa47gr', 22, 22, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795697756172, 1795697756172);
INSERT INTO public.events VALUES ('c2cssa47gr', 23, 23, 'pod', '[["because","does not listen on port 80"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"does not listen on port 80"}', 1, 1795697756184, 1795697756184);
INSERT INTO public.events VALUES ('c2cssa47gr', 32, 32, 'pod', '[["because","exited with code 3"],["kind","pod"],["pod","web"],["state","failed"]]', '{"pod":"web","state":"failed","because":"exited with code 3"}', 1, 1795697759721, 1795697759721);
INSERT INTO public.events VALUES ('c2cssa47gr', 33, 33, 'state', '[["because","exited with code 3"],["hint","it has written nothing"],["kind","state"],["pods",["web"]],["servingRevision",1],["state","failed"]]', '{"state":"failed","pods":["web"],"because":"exited with code 3","repeated":"crash loop, restarted 5 times","hint":"it has written nothing","servingRevision":1,"lastLines":[]}', 1, 1795697759725, 1795697759725);
INSERT INTO public.events VALUES ('c2cssa47gr', 24, 30, 'pod', '[["because","exited with code 3"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"exited with code 3"}', 4, 1795697756352, 1795697758231);
INSERT INTO public.events VALUES ('c2cssa47gr', 25, 31, 'pod', '[["because","exited with code 3; since its restart: does not listen on port 80"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"exited with code 3; since its restart: does not listen on port 80"}', 4, 1795697756749, 1795697759588);
INSERT INTO public.events VALUES ('c2cssa47gr', 34, 34, 'pod', '[["kind","pod"],["pod","cache"],["revision",1],["state","ready"]]', '{"pod":"cache","state":"ready","revision":1}', 1, 1795697759736, 1795697759736);
INSERT INTO public.events VALUES ('c2cssa47gr', 35, 35, 'pod', '[["kind","pod"],["pod","web"],["revision",1],["state","ready"]]', '{"pod":"web","state":"ready","revision":1}', 1, 1795697759737, 1795697759737);
INSERT INTO public.events VALUES ('c2cssa47gr', 36, 36, 'operation', '[["because","outdated"],["kind","operation"],["operation","remove"],["pod","web"],["replica",0],["revision",2],["workload","berth-c2cssa47gr-web-2-0"]]', '{"because":"outdated","operation":"remove","workload":"berth-c2cssa47gr-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795697759770, 1795697759770);
INSERT INTO public.installation VALUES ('shrnuhxoh4', 1795697740832, '974b80f30010b1dd');
INSERT INTO public.kysely_migration VALUES ('0001-initial', '2026-11-26T12:55:40.449Z');
INSERT INTO public.kysely_migration VALUES ('0002-commitments', '2026-11-26T12:55:40.458Z');
INSERT INTO public.kysely_migration VALUES ('0003-revision-images', '2026-11-26T12:55:40.464Z');
INSERT INTO public.kysely_migration VALUES ('0004-image-access', '2026-11-26T12:55:40.475Z');
INSERT INTO public.kysely_migration VALUES ('0005-pulled-images', '2026-11-26T12:55:40.480Z');
INSERT INTO public.kysely_migration VALUES ('0006-accounts', '2026-11-26T12:55:40.528Z');
INSERT INTO public.kysely_migration VALUES ('0007-abuse', '2026-11-26T12:55:40.543Z');
INSERT INTO public.kysely_migration VALUES ('0008-evictions', '2026-11-26T12:55:40.548Z');
INSERT INTO public.kysely_migration VALUES ('0009-lease-outlines', '2026-11-26T12:55:40.552Z');
INSERT INTO public.kysely_migration VALUES ('0010-seeds', '2026-11-26T12:55:40.555Z');
INSERT INTO public.kysely_migration VALUES ('0011-hashed-sign-ins', '2026-11-26T12:55:40.558Z');
INSERT INTO public.kysely_migration VALUES ('0012-active-names', '2026-11-26T12:55:40.575Z');
INSERT INTO public.kysely_migration VALUES ('0013-events', '2026-11-26T12:55:40.590Z');
INSERT INTO public.kysely_migration VALUES ('0014-pods', '2026-11-26T12:55:40.591Z');
INSERT INTO public.kysely_migration VALUES ('0015-session-tokens', '2026-11-26T12:55:40.596Z');
INSERT INTO public.kysely_migration VALUES ('0016-counts', '2026-11-26T12:55:40.598Z');
INSERT INTO public.kysely_migration VALUES ('0017-volume-sizes', '2026-11-26T12:55:40.599Z');
INSERT INTO public.kysely_migration VALUES ('0018-pushed-images', '2026-11-26T12:55:40.635Z');
INSERT INTO public.kysely_migration VALUES ('0019-routes', '2026-11-26T12:55:40.643Z');
INSERT INTO public.kysely_migration VALUES ('0020-several-processes', '2026-11-26T12:55:40.663Z');
INSERT INTO public.kysely_migration VALUES ('0021-store-moves', '2026-11-26T12:55:40.666Z');
INSERT INTO public.kysely_migration VALUES ('0022-committed-sum', '2026-11-26T12:55:40.701Z');
INSERT INTO public.kysely_migration VALUES ('0024-observed-hash', '2026-11-26T12:55:40.704Z');
INSERT INTO public.kysely_migration VALUES ('0025-logins', '2026-11-26T12:55:40.713Z');
INSERT INTO public.kysely_migration VALUES ('0026-certificates', '2026-11-26T12:55:40.728Z');
INSERT INTO public.kysely_migration VALUES ('0027-backups', '2026-11-26T12:55:40.734Z');
INSERT INTO public.kysely_migration VALUES ('0028-domains', '2026-11-26T12:55:40.742Z');
INSERT INTO public.kysely_migration VALUES ('0029-certificate-alarms', '2026-11-26T12:55:40.743Z');
INSERT INTO public.kysely_migration VALUES ('0030-revision-history', '2026-11-26T12:55:40.747Z');
INSERT INTO public.kysely_migration VALUES ('0031-grace', '2026-11-26T12:55:40.748Z');
INSERT INTO public.kysely_migration VALUES ('0032-kept-metrics', '2026-11-26T12:55:40.753Z');
INSERT INTO public.kysely_migration VALUES ('0033-domain-mails', '2026-11-26T12:55:40.754Z');
INSERT INTO public.kysely_migration VALUES ('0034-snapshots', '2026-11-26T12:55:40.762Z');
INSERT INTO public.kysely_migration VALUES ('0035-stops', '2026-11-26T12:55:40.770Z');
INSERT INTO public.kysely_migration VALUES ('0036-restores-beside', '2026-11-26T12:55:40.773Z');
INSERT INTO public.kysely_migration VALUES ('0037-snapshot-wishes', '2026-11-26T12:55:40.776Z');
INSERT INTO public.kysely_migration VALUES ('0038-audit-times', '2026-11-26T12:55:40.779Z');
INSERT INTO public.kysely_migration VALUES ('0039-share-links', '2026-11-26T12:55:40.785Z');
INSERT INTO public.kysely_migration VALUES ('0040-restores-without-safety', '2026-11-26T12:55:40.789Z');
INSERT INTO public.kysely_migration VALUES ('0041-clusters', '2026-11-26T12:55:40.792Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.leases VALUES ('m2hnl273wy', 1795698275000, NULL, NULL, NULL, 'P-PtOaFd7a-DDmZQ');
INSERT INTO public.leases VALUES ('i2bdbrba7n', 1795698250000, NULL, NULL, NULL, 'h0OoN7TdZ-Polbha');
INSERT INTO public.leases VALUES ('7xgrlogzuf', 1795698285000, NULL, NULL, NULL, '4sgjRH5H_iogagZf');
INSERT INTO public.leases VALUES ('c2cssa47gr', 1795698280000, NULL, NULL, NULL, 'dTrFZym9VK0Rnjfm');
INSERT INTO public.origins VALUES ('m2hnl273wy', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('i2bdbrba7n', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('7xgrlogzuf', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('c2cssa47gr', '127.0.0.1', '127.0.0.1');
INSERT INTO public.revisions VALUES ('m2hnl273wy', 1, '\x42525431974b80f30010b1ddf24e7b5593751af14c311b8b75ef75ac9e3c46c5ffd6c86e46775058a5035ba366b6b1ea2e789fa68d88ee23f8c47aebdf85f8b5e45268cf23a80cffeb0842795acb336c05a5bb624a32e1d6a9ad198943128558965f1316479bb1211b7f0bd5a9ed04bc7153ea908f4f37418addbb12489c0a04e526f08b5a6f88c80c29d950ba5f00873af1aa97cc3583e808e977d0a2fe020e863e96068ec5132c73418dcc65f644b057c81d935ea6743680866683a67f01a1994f3a377d00c09cf2695c00238a60579018f388fb7efc5fbf2f40894f7fcab5fd4f68c20076a6c3d6791745d97fea5dd9ddc5c36959d2e493b626b24fb2345567b616b1d332fbdac116d06515fd24f25aeb9a54d6d6df61c4ef85e4e39df33ebbb33ba110a8bc167f5caac063386dadebf4ff8787ffde183a4fff4488ffaa033d38f6729be77ec88b724c0829850bfac56232a2b9edade1450a926e77c88a46c1f1a93a60a0bd140ded2f12045d331ac77195f574d212719d39ee5d2ad1a981d2528b15ccea9c2f699bbebca3671ca56f5ec0e650dbaf743b3d3961ec1eec36db1cdb439302bd19136e41c17eb74c3ba1dd987c80db8252efff3e7b9369e66ad7c32aca857df7cf6e39522b97a5365851da375836d980a6d18cf5b7b24ee9bbaf64ad586a77fdfd048464988e14208d82c0ce5290558433aac9fa05f5dd0de4f8f9267da279a95bde9bb9af07ad8f1582dffc649e1425629468eca8d5aec8b1635d86797113b30fe05ba54fbd85b91964409b2555fd1ade579d07c1e6eedd4cd617a8f904a1e411649f4f1692f22b9799ea1a99cdff22ce6531be7f0bc0b15081a8fad900280f296750f758b7ca8eacc5a854ac8eb5af1b394027bd4a6013546a15f1051d6e7ae60e1d2de2fe7873e7a9c23430911b486824777d9cf8ec64974f1ee4fefbb92be2b94de18c8fcd2f0b2dedb03ff15fe8df5d431686ec05c98f4cc1f1bf4b8beb5387f709eabfe539f8aadd345cb56f4323c8529da093b95417bc46ade7e7ef70624c9437198ed33e4ceeba03358c5f00e1e5b00ae7ed5775867d930354051efed36a1feb943e1826136fa78c750337933786e8519174c31adb743de895bfa1646074f395df107f5dc4329bc1dcac76bd40f3d8053303d5b57346436b9e7bac3a82cec4c68b0428d0ba73d283022ef0ce3b1816492babbf771fc0cd5edb078955ec863a46fab13b59e8ff48bf07ed8eb1b6a106acaa57ffd56514a75fae5f563467d66b136cae75ff7674d4f82d15f990ad4a6319895853016d1b8d4b25883272b5cf6cb138f52ace1a87b11743f3b275b6c741cd7203f52afe7cc21fd8f43ca52ff343b2502a9053755a5239334467045c95a6aca8416d99e6491656b77de0ea1309276ccd9c77b3aaca381e10442ebae7d22ccdb2eeb4c8c133f0bf8190f5a6d9e8c390c6bd860ac35c247f99ad0885cae2de9e85df539014e3680e8eacb996f32bcbb93da1ecb13d238920361d5aefbf1899e26755aee3fb4a580dd89d883153cde4a2b10df7ca7894e2ccdd36588aed86f97e9941975d3ebb07ed24af64646b3a04ed7554369bea11a60694300367fdc3266fff5ed68ffd550a77ff21ee906305ea74572aaf85f58dd3167c7ebffabbae63e58b3bcd6a2fd07c5b5258564a443d4775532829fc3d9886f8dbf030fe7718ad1c85b4eaa5191955abb9a8eef11e6ce242ee1829ea1d46fa7e96daafe380537d0c826b5f293264e0399b1853f285851bcc73cc8e07fcbe2154ac345937cb3d8e20ff29081de648487d530124afedefc65aa2863b1cf44bba5b4f3843ee6ad0e139e1fde998e0ab6e0368c9a7c8095ee2c194789c4f1a87cb8b9e85acd4f6e7c4302feebbfc1401c2ea66ff3182fe8d71f0d45e841e5bd02718e2aea46d6d29fdd5e83faa831f058ec4d7ef8991533caed08644928f0cb23810232b54d383e0429182154d668a5b0807c728e89c6bd2b6eb6447c022bda20f691ded8af140b5566c24148134a6583c8ae6a1094a9bea6c540461fd3da50d8dfce940421f8b820e1ec80cdd08f0434c98711752e9b0e5c7efc6a7f82968390dd2c81d5d7befcdc89da3b6323553c5cc17b5a9ac5c0c9bcbaef9112be92d549a7f6cd10556ab0b704e29a1e4d7ce2b58e888a63ad344f44a5a0b92679ada61c217eba980417ad5bf4f9ad479d37bf91deb7d0eac1dac8e0bd0769d479071c8df863494a0e8cc93dd67684d8d1476f1653dcc3940529a543c25ef422a5a74abdd8f041e8ecb8a474431b0a966d762d00d1974cc91bcb5521fa70628c33702eac0e043938fd40ac9dc624e1d31eb37b09e622be88ce42ac34eba4f9a401a595779841e', '\x42525431974b80f30010b1dd0b43d28cb24e325f8c1581005431e02c4920bc0934bb1ed3a244e85ef48de019f57bd6bf8a17f2a3954de08044ed5aacc9eadb637c996f2f1c208427eaf5f0a462dd28196c3f751e03b8827e21966b5f7a55f3ead042962ad6cd074bbe1464368729b615b4143220a65988c47f3531d618af82a942462121a6551c07de9720204a24c377a3f1f272e8f8460b5fc437cb7ebdec415fc1f1d835d950da5c5ab84c38daa5d6b14f8affcc558ea37593a24d2c11b4a1dde292282880c62651464dc0f482e13d48073de56ed7cc134357ac7efbc3501c8c5fb7603ca533911d38e102b293ead47fa6bddd64494d1f6a35934de8ee47a9b2b57d51fe74bae9734a127106538038452bbf4fba248fc369e51d6e6cdd2fa1893b8772e80c7993fd116dd7349bfe2bfb0c050f58ffb607a3e082b1b48f33fdaa0d440a2f4d52df852b5e1c2178f8b6ad193186c6836659660f34b9357ad978037364614b8aa385fb37424f2296cf6e414bacbdde2a001d68ed99816f142296a30cca853356a5f0a6fadf75c0f49cbf8f85d04a023fed065d1443cd85fcf0e2dd13499593f348a567f52e7aa7d1f45cd55d6dbbfd86e5c13fd95ebccb6e0c8216836b3cddc7610d08958515cf386590cb9353983ce5c6aede5e042d65693c0dd8cc3f4eeb5312bf2bd5bec52452a8e9988120ca4dc0bd5f854279a8f5a59c6f9d2fd2396748d8783680069c8433ec34073c4be09e16e42cda175697b1d29e64b492245b25fc21330d4222fcf20ad787c18491f9894d631cc63e7480e554c29676cab47ae07cf4279831170187f21b4468339f272f158c4a80dcc885c93c04c6bd4665612940e4bac53651dbb6432e30e5922d2dd6e3193079c6f163f9e5c0dde2fbf824b58bfd2e95b5c2f5fdbc09772843c5956561ec0d12c40ef1e2b18662cec2b88643449700387afd5b2001e0949e375ebb321877ccefabf4b26f2be8612cc7b0f3d28c345cd16f69b217b14569c281a715a4dab42c4fee40beea31715f7c2fa203141edd1e5027977a5ef6b77b9a11a12a152b4530fb7ab599eaf558ac359a4ab894eb69703d0894f2b1c6b9b868db7c041b2a83e9568dc55cf82a0910009ae07a268ebcaf90aba64c3415008949451a5940191c2fc19eef127241f472d1452665c0bdff8b4a2104d90cf77d4542c8f4118645a4aaf1d7577c56713922f9ded01e26c101d9118337c418d6edb4d5ddd819b532d5d25d8d7335303ca6bbea1138095bca59380c4426999b6481786edb5136b92fc07cdb72f83f7b14857b4131cf7d3f7f8cf99f7fde2780f4244599dd7278bb4c9409d1d4a11188966a1caa92947529f5f0d7ce8050da14500c1ce0d5db231966dda2858ff208baa401d674e5794f9e5368d076544f5d093f8f454acd181dd7a5dbd5f61a9d34e59edaa501f4262ea26689fefce14f854b614d3b47d430d37500473b3b38f9e9b0d72bab93748a113d5abb8de46ae0927f66bed647acb92bed511ff5f92641b4cc19c331dac4939bd78277a98d6b62cbc3de8d3868bf1b84017e66e3d5b811177eabbb4de36e2bca4eb20dada4949a19588e00e745244b99d8c0b4224684354e3a886a4731422daf011efa93d4e53dc985366b0fae9d595d447909d1ad47a833d1e2b4c2e393c73edd6ab50f1bf76e731c9eb673e9c3accf180fd8b73665e90f0a5292b71117d68e7602721b0ff70b5bd7ec83927aab83dd87d913bacc905ef448fe80f3b350d9671eed3f51ae5862e2f4352ce5ab10a8f69779b506a1e9606b781a65019ff4f897', 1795697744065, 201326592, 378, 230331648, '["node:26-slim","redis:7"]', 6, 2, 0, '[["members-data",16777216],["members-1-data",16777216]]', 'session', NULL, 'running', 1795697749837);
INSERT INTO public.revisions VALUES ('i2bdbrba7n', 1, '\x42525431974b80f30010b1dd9a88e3931db6d8a56afcd9e527f626694af8dd9bbe3eef4a89eba2e1e71dce77667a34ada012e5781ebfb0a19ca486e79e1eb3b8551d71ed759643b7f70f6e597fc7589ade73a13b290a5de955b4fcd92ecf1387c3cda363489eac409f1744d89b275beb456e8f28128a2fd8c05aed0a8e98e1d034994964fb866693c4a5b0e2fd767309a612fc151e917a43eacb0a6f0c0e8e296e8b7d87e8804bb0ae946678f5834a0a24796a920b3d93d424d00088b5d5956a7bbe208ecb3176b397c27cce2707661a0e8646ccfbeadb7b50115f413cc430c7454a7748b4ebade671b1313c6399c7b200ec80de1af214684414fad2eb87f3267fe0c88175fc57fc2f2272be7051796b22516e645536e53786677aa47942d478365619d9ab91a9895eb2a8849756fdb11d96be9a37f0b7e3b874b99a15c300491d580211fa167b77f31582a62a4e764b72f287e8536bcfab346fb2091c8dd216c4eca3a75cc1bdcec14d79b1daa8a0a025fd8f41c6f6eb175e0c9d8f2187c01fa13449dbf7dd9dbfce6a8a77250e113b07e9fdb4022894fafcb50c9cea4f7ee76dc38b331dfa2bb0200d2b0dd749c2e1e54e5092eb5a6f65f874605e0f2ed576a427e7b0ba5d6a5306efa55dff16d35844b117ee9f66ba5ea09d5c0bbc7fd85f202d17c1eebc425a4e5153b89dda44658d29a0d393fe70c98985b13d28cda67b4c4358449080b3c1c2cf85086f8ad07013bad988924c9c6527fa8d2bf2f2dd9e8ac639d5be53337d63bcdef50e78d50d31b99ad23c9d605e340d29f65def9c160f3bfa1a3066bbff1d7550416161e862415c8de26b1b8f92ca823f50547cdb6c1591c9b50c8a59d68cf0a22591e633ba83183697c9224c350c60b739ea5346b6c522', '\x42525431974b80f30010b1dd3cdc35e3c291624fe9955a9436bae2f2b32ed6d2aba885e8dd7d9a79e091c694aa50a3e1dca19a294833222c6b7341866f7b625e7c0c16c7ed29cf752acbefb7cd74fad8d191992016da6498945d4040db4adcb337d545326d1aec3fc2b5533d68a8ba2f5e5bcf34315c027b68fd1677a4cbcef56ecc79744fadf129ecdd3e3ad7aa4e57040a4c92e6ed95e23feae6d65b2c45cbd153aa4b9eb9b1ebdea2edcf36fd7f4c8d8bbad458d73c5ff04cf5ca5a7a4fa46591a4398d8b13b7a680dd2630db887edec4d445b0373752bd1fd3ab18a0bba063bced3ab12153cae2c6ca18d05ab91eb6a1d95b929fbb792246a45aacb3eb4a8cc63cbe54ca4dcc3360bb0c6d98467848d6e9b940bf80f36b92c6b0', 1795697749946, 67108864, 126, 1142130432, '["nginx:1","redis:7"]', 2, 1, 0, '[["shared.votes",1073741824]]', 'session', NULL, 'running', 1795697751490);
INSERT INTO public.revisions VALUES ('7xgrlogzuf', 1, '\x42525431974b80f30010b1dd123209afa71e6f7f1d678b5d95908dedc6e4558dfe9bb319215ad8310b2b2bb645b7149c2a4c1d8a0caad64432a59d9437d7b14ee69717a043806990c5519f7541f70d196407e0549163cd15c45b917f8ae2b2ec908bf56f73b18d606d1a5993c41ad37428ca6b0e4a955e5e49b963da36e9b80fa24a00cf4c544b1357ba720d403a09a37c71dc34d8308e9c20304d322115022f8f915999ad2b060b954b2022b407cd2d43f0e885f4494c9097484ec16c4bfba40c22f723985a6d7abc454d98a3d4d53cbc7b52e06ef54f9b26026e751bc5c774f284ce9204c729659bb2dac3e268f644538a32fe62c18357ac82e5ae8233d64e04396635d23af4905946adf2260d94cf8b08e2ea629b5c3daa9d806ed2a6c9d21e0dd6f1c2ff01a83448e91a0aaeb591a6049b791654557debc2bff0ee42fe1594dec159382e6fd57b4e059e750b256adb5788ebbc028deef306e6629820db2dd7b36631aa3dbc0a77eb4516249647a33ae1b2fb72ca021f739ed44618965747c55e5cef0e74355b89502ecfe7be726c4249f84552a3dcff0325480a863719cd3f998f64c254827a70aac68c89272746cccfa805d0e19541650888643bb6aa61c3ccb9388552d17656e93ff700f3f2705676d42136af9bd3c3b18f4b7685fb16054c01310c505a74e0ff09014be7a3c9192c194e9d6982105e257825fead05bead6f01940a', '\x42525431974b80f30010b1dd74351adda920ea324de52838b6a39091a4391c07a730b5c762962125124de369fec7473a0156bd0cfef9c4b96e639e01edc66dce07993797c25b94337490ab75eadad63f0b2d692a49d375f5e4b819ed90f21172f88422165f62077a8315db2aa55f4082ae0bf19b38a41e7c249f88dd21077c697957bec91ec709dc88ea5e8ffc1d170de8cdde5771a81a17df95440dfaad74d0894ac61d2a902ec551542ab67c761848b989342161336c707bb6b9465dec6dc71c1b7bc4a8c560e96fa56d19fb5a647eac4792de8256d17aad8d70104d6d97272f7dd55b696c', 1795697751668, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]', 'session', NULL, 'running', 1795697752973);
INSERT INTO public.revisions VALUES ('7xgrlogzuf', 2, '\x42525431974b80f30010b1ddc5c035ced5b113c118299afcded18ce3d73efeda0808df868fb2e33c5c0d0f7bb0824403d15f66ee97b802dc5c73184238f5c4fe29cb9ecf0f83f2d11403d64f50dfb246688beb4af2de5dcfdb08ca4a8c6e0ca9a28122c3bbde9a52b0c44497707b21866551bdc251bda828abb5da8609d4ff4c1e92979eec073fe2a357999b32f3a798f40725f99c19a7fc78cb43794926451ca0363ab7437ae689d6c39ba4549be2d80016b68d128d5ca6f5b33a694ac74d05223b809c65d670e7ccaa9acf17ba8db95ed02106064d25f63ce417e91bec9e3cca2072004c0b87682ebbac140e519a4b77152db182d576558e2ee203ebaba695fef47ff7a48a4a3f2c48536b5769356c6b4ef7f5971caa96480bc3d4439a8f2f51e70b884f2eb2e55cbf5b0d3301ece17b13680b42de293791f4dea98ea702e145f6b1636dc2169efad077379f34bd7a7662b9b866fa5d373f9c45146b7b769ba34a43173fc746fca2589937e89d6df02b6e51b3b508d1f12c8d4e97e50ffe3c42cba184bf7a3929ef8b48a81c8b074559a736f79ab0e84c1f0352780f00cffeaf01884459f5df4cb52c32f763db8f9583bac49c5cc05261e0473a4935802fbe2180e9de7b395b7c1500aa8a36fd91c18bad4ae1243e6dcd3988179db9d9c289dc61a6b2e02e446ff303214d048ee33c8ce3cadcd988849e3d84c745de5c2e7407abf0d18893619cf09343b5', '\x42525431974b80f30010b1dd0128ebe7100073089d0053b7ec81aee9835cc4a374fa9b99ab795f1b5975640ab6fa931214019f9a28ed6f4c6810637ff23bfb314e742212920281fafa5b7d3bbb98d3d3845856fbdef8d7756a7a95079d126c5d4f7ad2842a71a6319ff3f2083fc467eec24184ef5f20d9e6aafd5a74be2535e0f9e46dedb8c3a02a9fee908ba928d7e669a755c48c95aa892ba0fd8f3a98218121212cf02928a2b03eb1104512266261a5407c25f301c4dea60264023bfde2bad3e492690c3b0af5359ab236b3e7047392b012e3b66be3faa7e2eb0aeffcf833ca181fc00ee5b0b386b3866987', 1795697753294, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]', 'session', NULL, 'running', 1795697754495);
INSERT INTO public.revisions VALUES ('c2cssa47gr', 1, '\x42525431974b80f30010b1dd25ab57841365a5fabd1d06c152b718fe82853d16c4a798c1ff1051ea6611c9de97e30b2cd557da6fef0d65a6fb1621f67199a6d8239f345de56ca296ad0b03dadd680b1a941ca6ed473e9ebccc4480760980961fb9f3074b045d926043f53f24cfc4e871a9c94cc5de6c206e5999116be5f7bf328c250990c40070eb272aecb933fe88439dff75a0a07873dcde695c395ed907354e15dca7f1fadfa602356122136d9be89b96ac2266abca7e2bc5e8cc1324da81a39cd978b0a381d27e413bee371e15477d88ba6ba3076ea405b8d18fde7711a5bde48bd4df2847b60031b4a7d0574eec099848387475de9b557890dc588d659c5d8798341e177a8f66dbf5f742a76d36c7b725d5080afaaaede10dc22d95ef57092e50788c2a7225566cccf7c68a4399d898dedb890d2382a3b2dac70149861bed2b0693625e281012f1f02ee7ea08e337272d1c782d946773d88712e9e5c99b513b6f3915cd12eb223e5ae5b6d67d6a0c0f67d1fb1261cef0242c60c85cd6d69ba7b80bdbfd7c725e5db5ad8c3fe30cac5f8b26f91cb3229c5058c76c0be6eddbcbd2681285af16c23b9bca3b144e799b2ed256acaeecc18fda85e97a4c8b81a6c2990a9f5a5d6ebbf4905fdac78cd9b3f788c4954b4747afd65bb46c067c21f5b37a67fdcfd42fe5f10b168b1ae12c2541f0ed8845f3efc5673a90bd2f03e0227c450b1b51464d', '\x42525431974b80f30010b1dd59803d76a7e64a5a59b44c954de5b6dcfbba9afb4460e884d4c5557141bae449f6af712535765be970c2d5f252e3576d2150fed109e0089dcd8747168862a5993a11d768c3ebe0d9c5aa85110c5f4fd3cab1f91b27768a19cb518b962bc3e340dea3d7b4093983feae6d25e39314f31c02648d01948848d5691fafce22ad67bf45d467d294ab43c34c3b39de2ec287522d763c99f4afe230b0fb8ac9c4d80eeec8a92cec9f978ee8141e16ae93782073e8743634c46eb17510b8e6bd49657e5a73fdf623050edc6c04f3cc6d0cda72adea4aef6e23d998b1088d3ce36a', 1795697754576, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]', 'session', NULL, 'running', 1795697755618);
INSERT INTO public.revisions VALUES ('c2cssa47gr', 2, '\x42525431974b80f30010b1dd7ccce49be9b7de302df1c277de8bb4c8a87356804eff0bdd40315114dec595be0c1177a6ae04f3a0a34e15c0194419dbaaa562365083653531ec8db895ebbe9a05651dd1f5b24d777eec25c7ddde32cc751d24907275888f8ac49802354cbcee645f505ce6bd0b9dc18f7a10ef7516655e2a61328fcdabc815a07f9de23809c51c8999595a01cb6a28dc5db764b3a7ebc1503bb0d62ddf7b1b2942b8815649fba15698683c07ffe3bff6490bdc65394193557f231245b7952e873de3232f328791afba09a5a2a7e961f4699df326d61a3d33ce0f3d1ff2f7d84df085e91f07ab3b0fc40815c302d1dd82cafa55d92e479ab7fd7ad83b3cf31d9dffa1fae8724d409183927b7d8808bf31cffa7565771297908c6bb3f7c16f4d7aba706f4dc3da170b4798e4b6c1abb5f8c61c2dc5e55458e19f115b94b2bd3494c17098992daa3fcc16356b5ac9e6b8c54f89', '\x42525431974b80f30010b1dda945e24c39d3fad57c2f6a2f626cf3630cb2ea619466c5586c108e5da0e31d0520a928b490854d35e8b52142ceb83c60a4e5d654d5191e79d6dfe7acfd6d32c8008fcf84e4212a4c12ed657a75a271ff5570ba86768f86d8696da59322ac6e3f692f44e2fec377eabecf876ad113f51f551e8e7ee38e33fba1a36199c5b7d8df621332c5387c56e21026b0ece9c6bcaaee88440298620f8e65021793d3797de6415cf042da7645f7e5584ac73add', 1795697755732, 33554432, 63, 30000000, '["node:26-slim"]', 1, 0, 0, '[]', 'session', NULL, 'failed', 1795697759728);
INSERT INTO public."routeTable" VALUES (1, 6);
INSERT INTO public.seeds VALUES ('m2hnl273wy', '\x42525431974b80f30010b1ddcf7b01f38e0f31d66f1cb289dfed98487532ebcc197e517d09c840cc2152358d23f50302cde07a16cb6e5a27bd2129e00d71a31b8f00f1168551c64aec71c194dd083c0a3933d4', NULL);
INSERT INTO public.seeds VALUES ('i2bdbrba7n', '\x42525431974b80f30010b1dda5fd4efb9e65e4623cac376ad0feeea5548f9fb640097a640764febed9f238686c52209658caf360532cdf58af1b5aed078a4a14a534d1130e4b1fc0b6cb5ebef9f7d76bf2b477', NULL);
INSERT INTO public.seeds VALUES ('7xgrlogzuf', '\x42525431974b80f30010b1dd51e9b4c2c6c7749a57b3d093edff7032437a0f01b7d95d4fd5bd3a3302dd3de0eabe67e07b5a9cb9d37368ccf89d9eaba7a8c79b86b3cedf35a0684900c2cba55439e926e667a2', NULL);
INSERT INTO public.seeds VALUES ('c2cssa47gr', '\x42525431974b80f30010b1dd0ac0d27ba0519eb41cbb2ffa060ff3b2b3b05f009534f78f87d54a7347f175c1ba7807a58acfde0a5826f529c4baf51ea0102516f76e705d19bbff3bf8c5a3c5f395b7a45dfb08', NULL);
INSERT INTO public.sessions VALUES ('30e0fb68-14cc-4661-b7d8-05fdfeb0d542', 'f8a4c53a98ef3e014b65749cf7893fecd66f4accf5e6d163743d7f09b01113b5', 1795697744065, NULL, 1795697744065, '127.0.0.1', 1795697744559, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('9cd8799e-4276-4774-aa4d-e5dee9cab50d', '4402307ab9011b5a5a1e1cdabc685ce0ce66bf84c2775dda1b396f5997991c44', 1795697749946, NULL, 1795697749946, '127.0.0.1', 1795697749961, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('5a841b7f-0ab6-4704-a931-4d5206227f5d', '9b3a59aae9b7d07e032692a2694dede72e12739702e26d1088b2f5450fa7081f', 1795697751668, NULL, 1795697751668, '127.0.0.1', 1795697751703, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('41a005ce-1850-4cf7-acf4-bb92820ee15d', 'a3149d6e75705278f268524a84038b684370dd6322eba37010510f51015d9092', 1795697754576, NULL, 1795697754576, '127.0.0.1', 1795697754608, '127.0.0.1', NULL, 'free');
INSERT INTO public."signIns" VALUES ('g2EruQCAMXjeMRuBfHYAF69gIur9UmI1', '2026-12-26 12:56:01.687+00', '676b3d1a4178f69322e7a827c58b328c366b7a06d975401b209d695d7b624923', '2026-11-26 12:56:01.687+00', '2026-11-26 12:56:01.687+00', '', '', 'KX30act0zflAPCnROV23dFHPSwK3IjDk');
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_key UNIQUE (email);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."acmeAccounts"
    ADD CONSTRAINT "acmeAccounts_pkey" PRIMARY KEY (directory);
ALTER TABLE ONLY public."acmeChallenges"
    ADD CONSTRAINT "acmeChallenges_pkey" PRIMARY KEY (token);
ALTER TABLE ONLY public."apiKeys"
    ADD CONSTRAINT "apiKeys_keyHash_key" UNIQUE ("keyHash");
ALTER TABLE ONLY public."apiKeys"
    ADD CONSTRAINT "apiKeys_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."auditEntries"
    ADD CONSTRAINT "auditEntries_pkey" PRIMARY KEY (number);
ALTER TABLE ONLY public.backups
    ADD CONSTRAINT backups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bans
    ADD CONSTRAINT bans_key PRIMARY KEY (kind, subject);
ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT certificates_pkey PRIMARY KEY (host);
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY ("tokenHash");
ALTER TABLE ONLY public."commitmentTotals"
    ADD CONSTRAINT "commitmentTotals_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public.commitments
    ADD CONSTRAINT commitments_pkey PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_label_key UNIQUE (label);
ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_key PRIMARY KEY (name, "accountId");
ALTER TABLE ONLY public.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.edges
    ADD CONSTRAINT edges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT "eventValues_key" PRIMARY KEY ("deploymentId", number);
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT "idempotencyAnswers_pkey" PRIMARY KEY ("keyHash");
ALTER TABLE ONLY public."imageAccess"
    ADD CONSTRAINT "imageAccess_key" PRIMARY KEY ("deploymentId", repository);
ALTER TABLE ONLY public."imageNamespaces"
    ADD CONSTRAINT "imageNamespaces_pkey" PRIMARY KEY (name);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."keptMetrics"
    ADD CONSTRAINT "keptMetricsKey" PRIMARY KEY ("deploymentId", at, process);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY ("deviceHash");
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT "logins_userHash_key" UNIQUE ("userHash");
ALTER TABLE ONLY public."manifestParts"
    ADD CONSTRAINT "manifestParts_key" PRIMARY KEY (repository, manifest, digest);
ALTER TABLE ONLY public.origins
    ADD CONSTRAINT origins_pkey PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."privateRepositories"
    ADD CONSTRAINT "privateRepositories_pkey" PRIMARY KEY (repository);
ALTER TABLE ONLY public."pulledImages"
    ADD CONSTRAINT "pulledImages_pkey" PRIMARY KEY (reference);
ALTER TABLE ONLY public."pushedBlobs"
    ADD CONSTRAINT "pushedBlobs_key" PRIMARY KEY (namespace, digest);
ALTER TABLE ONLY public."pushedManifests"
    ADD CONSTRAINT "pushedManifests_key" PRIMARY KEY (repository, digest);
ALTER TABLE ONLY public."pushedTags"
    ADD CONSTRAINT "pushedTags_key" PRIMARY KEY (repository, tag);
ALTER TABLE ONLY public.restores
    ADD CONSTRAINT restores_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."revisionImages"
    ADD CONSTRAINT "revisionImages_key" PRIMARY KEY ("deploymentId", revision, image);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_key PRIMARY KEY ("deploymentId", number);
ALTER TABLE ONLY public."routeTable"
    ADD CONSTRAINT "routeTable_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public.seeds
    ADD CONSTRAINT seeds_pkey PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT "sessions_tokenHash_key" UNIQUE ("tokenHash");
ALTER TABLE ONLY public."shareLinks"
    ADD CONSTRAINT "shareLinks_pkey" PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public."shareLinks"
    ADD CONSTRAINT "shareLinks_tokenHash_key" UNIQUE ("tokenHash");
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_token_key" UNIQUE (token);
ALTER TABLE ONLY public."snapshotPlaces"
    ADD CONSTRAINT "snapshotPlaces_pkey" PRIMARY KEY (place);
ALTER TABLE ONLY public."snapshotWishes"
    ADD CONSTRAINT "snapshotWishes_pkey" PRIMARY KEY ("deploymentId");
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."spentProofs"
    ADD CONSTRAINT "spentProofs_pkey" PRIMARY KEY (hash);
ALTER TABLE ONLY public."storeMoves"
    ADD CONSTRAINT "storeMoves_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);
CREATE INDEX "apiKeys_account" ON public."apiKeys" USING btree ("accountId");
CREATE INDEX "auditEntriesByTime" ON public."auditEntries" USING btree (action, at);
CREATE INDEX claims_deployment ON public.claims USING btree ("deploymentId");
CREATE INDEX "credentials_userId_idx" ON public.credentials USING btree ("userId");
CREATE UNIQUE INDEX deployments_active_name ON public.deployments USING btree ("sessionId", "applicationName") WHERE (("removedAt" IS NULL) AND (state <> 'expired'::text) AND ("sharesName" = 0));
CREATE INDEX deployments_gone ON public.deployments USING btree ("goneAt");
CREATE INDEX deployments_routes ON public.deployments USING btree ("routesVersion");
CREATE INDEX deployments_session ON public.deployments USING btree ("sessionId", "applicationName");
CREATE INDEX domains_deployment ON public.domains USING btree ("deploymentId");
CREATE INDEX domains_due ON public.domains USING btree ("nextCheckAt");
CREATE UNIQUE INDEX domains_owner ON public.domains USING btree (name) WHERE (("verifiedAt" IS NOT NULL) AND ("releasedAt" IS NULL));
CREATE UNIQUE INDEX events_sequence ON public.events USING btree ("deploymentId", sequence);
CREATE INDEX evictions_deployment ON public.evictions USING btree ("deploymentId", revision);
CREATE INDEX idempotency_deployment ON public.idempotency USING btree ("deploymentId");
CREATE INDEX "keptMetricsByTime" ON public."keptMetrics" USING btree (at);
CREATE INDEX leases_due ON public.leases USING btree ("dueAt");
CREATE INDEX leases_held ON public.leases USING btree ("leasedUntil");
CREATE INDEX "logins_accountId" ON public.logins USING btree ("accountId");
CREATE INDEX "logins_expiresAt" ON public.logins USING btree ("expiresAt");
CREATE INDEX "manifestParts_digest" ON public."manifestParts" USING btree (digest);
CREATE INDEX origins_client ON public.origins USING btree (client);
CREATE INDEX "passkeys_credentialID_idx" ON public.passkeys USING btree ("credentialID");
CREATE INDEX "passkeys_userId_idx" ON public.passkeys USING btree ("userId");
CREATE INDEX "pushedBlobs_digest" ON public."pushedBlobs" USING btree (digest);
CREATE INDEX "pushedManifests_digest" ON public."pushedManifests" USING btree (digest);
CREATE INDEX "pushedManifests_namespace" ON public."pushedManifests" USING btree (namespace);
CREATE INDEX restores_deployment ON public.restores USING btree ("deploymentId");
CREATE INDEX sessions_account ON public.sessions USING btree ("accountId");
CREATE INDEX "signIns_userId_idx" ON public."signIns" USING btree ("userId");
CREATE INDEX snapshots_deployment ON public.snapshots USING btree ("deploymentId");
CREATE INDEX snapshots_state ON public.snapshots USING btree (state);
CREATE INDEX "spentProofs_expiresAt" ON public."spentProofs" USING btree ("expiresAt");
CREATE INDEX verifications_identifier_idx ON public.verifications USING btree (identifier);
ALTER TABLE ONLY public."apiKeys"
    ADD CONSTRAINT "apiKeys_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT "claims_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.commitments
    ADD CONSTRAINT "commitments_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT "credentials_userId_fkey" FOREIGN KEY ("userId") REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT "deployments_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES public.sessions(id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT "eventValues_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evictions
    ADD CONSTRAINT "evictions_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_deployment FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public."imageAccess"
    ADD CONSTRAINT "imageAccess_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT "leases_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT "logins_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public."manifestParts"
    ADD CONSTRAINT "manifestParts_manifest" FOREIGN KEY (repository, manifest) REFERENCES public."pushedManifests"(repository, digest) ON DELETE CASCADE;
ALTER TABLE ONLY public.origins
    ADD CONSTRAINT "origins_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT "passkeys_userId_fkey" FOREIGN KEY ("userId") REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public."pushedBlobs"
    ADD CONSTRAINT "pushedBlobs_namespace_fkey" FOREIGN KEY (namespace) REFERENCES public."imageNamespaces"(name) ON DELETE CASCADE;
ALTER TABLE ONLY public."pushedManifests"
    ADD CONSTRAINT "pushedManifests_namespace_fkey" FOREIGN KEY (namespace) REFERENCES public."imageNamespaces"(name) ON DELETE CASCADE;
ALTER TABLE ONLY public."pushedTags"
    ADD CONSTRAINT "pushedTags_manifest" FOREIGN KEY (repository, digest) REFERENCES public."pushedManifests"(repository, digest) ON DELETE CASCADE;
ALTER TABLE ONLY public."revisionImages"
    ADD CONSTRAINT "revisionImages_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT "revisions_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.seeds
    ADD CONSTRAINT "seeds_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT "sessions_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES public.accounts(id);
ALTER TABLE ONLY public."shareLinks"
    ADD CONSTRAINT "shareLinks_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_userId_fkey" FOREIGN KEY ("userId") REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public."snapshotWishes"
    ADD CONSTRAINT "snapshotWishes_deploymentId_fkey" FOREIGN KEY ("deploymentId") REFERENCES public.deployments(id) ON DELETE CASCADE;
