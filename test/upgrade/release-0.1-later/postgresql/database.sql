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
CREATE TABLE public.bans (
    kind text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    "createdAt" bigint NOT NULL
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
    "routesVersion" bigint DEFAULT 0 NOT NULL
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
    outline text COLLATE pg_catalog."C"
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
    "volumeSizes" text COLLATE pg_catalog."C"
);
CREATE TABLE public."routeTable" (
    id integer NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.seeds (
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    seed bytea NOT NULL
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
INSERT INTO public.accounts VALUES ('53yGbd8Clm0tfQRYCsEoeBEjBT0lr8RC', 'Ada', 'ada@example.com', false, NULL, '2026-11-26 13:04:43.615+00', '2026-11-26 13:04:43.615+00', NULL);
INSERT INTO public."auditEntries" VALUES (1, 1795698278177, 'root', 'ban image', 'example.com/miner', 'mines coins');
INSERT INTO public.bans VALUES ('image', 'example.com/miner', 'mines coins', 1795698278177);
INSERT INTO public."commitmentTotals" VALUES (1, 402653184, 756, 1492462080, 12, 3, 0);
INSERT INTO public.commitments VALUES ('72y42hkepj', 201326592, 378, 230331648, 6, 2, 0);
INSERT INTO public.commitments VALUES ('hn5uf2roui', 67108864, 126, 1142130432, 2, 1, 0);
INSERT INTO public.commitments VALUES ('oxcwjnivum', 67108864, 126, 60000000, 2, 0, 0);
INSERT INTO public.commitments VALUES ('75pau7swl4', 67108864, 126, 60000000, 2, 0, 0);
INSERT INTO public.credentials VALUES ('pU9O2nK0aYlJ6hpkWzqJlViIZohqvYjU', '53yGbd8Clm0tfQRYCsEoeBEjBT0lr8RC', 'credential', '53yGbd8Clm0tfQRYCsEoeBEjBT0lr8RC', NULL, NULL, NULL, NULL, NULL, NULL, '169c01e4f2535321ad4b3883c565c10d:7a0bccfae68f382dacc1afe84bd5e120a5589648e7519248407bbb35d6c0426b560f62b4afa36fe0312671888c25fa569a03330b12f27461f80f6d8a01077234', '2026-11-26 13:04:43.62+00', '2026-11-26 13:04:43.62+00');
INSERT INTO public.deployments VALUES ('72y42hkepj', 'e6a808a3-24b0-4aeb-a79e-1974f0c414ee', 'everything', 'rare-fox', 'rare-fox-everything', 1, 1, 1, 'running', 100, '[{"name":"members","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0,0]},{"name":"migration","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"lastExit":{"code":0,"reason":"exited with code 0","hint":"a service has to go on running; what ends is a job","at":1795698248252},"restartedAt":[],"settledRestarts":[0]},{"name":"agent","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"node:26-slim","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0,0]}]', '[]', '[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}]', 1795698241405, 1795705441405, 0, NULL, NULL, NULL, NULL, 1795698255963, 0, NULL, 2);
INSERT INTO public.deployments VALUES ('hn5uf2roui', '43a65fdd-8f90-433a-a22f-6ea3c2c94d82', 'votes', 'polite-camel', 'polite-camel-votes', 1, 1, 1, 'running', 100, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.0.131","port":80}]', 1795698255928, 1795705455928, 0, NULL, NULL, NULL, NULL, 1795698260925, 0, NULL, 3);
INSERT INTO public.deployments VALUES ('oxcwjnivum', 'f778de7a-a57a-4d26-9a7f-cb90dfac26df', 'updated', 'clean-jackal', 'clean-jackal-updated', 2, 2, 2, 'running', 100, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":2,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.1.4","port":80}]', 1795698261012, 1795705461012, 0, NULL, NULL, NULL, NULL, 1795698265158, 0, NULL, 5);
INSERT INTO public.deployments VALUES ('75pau7swl4', '57f759e8-59a2-4092-a445-251a587b35fb', 'updated', 'fine-goose', 'fine-goose-updated', 2, 1, 2, 'failed', 57, '[{"name":"cache","state":"ready","image":"redis:7","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]},{"name":"web","state":"ready","image":"nginx:1","revision":1,"restarts":0,"restartedAt":[],"settledRestarts":[0]}]', '[]', '[{"path":"/","address":"10.200.1.131","port":80}]', 1795698265134, 1795705465134, 0, NULL, NULL, NULL, NULL, 1795698274717, 0, '{"kind":"failed","pods":["web"],"because":"exited with code 3","repeated":"crash loop, restarted 5 times","hint":"it has written nothing","servingRevision":1}', 6);
INSERT INTO public.edges VALUES ('47kep3nlxx', '4c3179ae-519f-4e07-b97f-57bcb63df502 pid:[4026531836]', '/tmp/berth-85xO3l', 6, 9999999999000);
INSERT INTO public.events VALUES ('72y42hkepj', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795698241405, 1795698241405);
INSERT INTO public.events VALUES ('72y42hkepj', 2, 2, 'pod', '[["kind","pod"],["pod","members"],["state","waiting"]]', '{"pod":"members","state":"waiting"}', 1, 1795698243681, 1795698243681);
INSERT INTO public.events VALUES ('72y42hkepj', 3, 3, 'pod', '[["kind","pod"],["pod","migration"],["state","waiting"]]', '{"pod":"migration","state":"waiting"}', 1, 1795698243681, 1795698243681);
INSERT INTO public.events VALUES ('72y42hkepj', 4, 4, 'pod', '[["kind","pod"],["pod","agent"],["state","waiting"]]', '{"pod":"agent","state":"waiting"}', 1, 1795698243681, 1795698243681);
INSERT INTO public.events VALUES ('72y42hkepj', 5, 5, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698243681, 1795698243681);
INSERT INTO public.events VALUES ('72y42hkepj', 6, 6, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795698243681, 1795698243681);
INSERT INTO public.events VALUES ('72y42hkepj', 7, 7, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795698244445, 1795698244445);
INSERT INTO public.events VALUES ('72y42hkepj', 8, 8, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",16777216],["volume","members-data"]]', '{"because":"missing","operation":"create-volume","volume":"members-data","sizeBytes":16777216}', 1, 1795698245165, 1795698245165);
INSERT INTO public.events VALUES ('72y42hkepj', 9, 9, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",16777216],["volume","members-1-data"]]', '{"because":"missing","operation":"create-volume","volume":"members-1-data","sizeBytes":16777216}', 1, 1795698245859, 1795698245859);
INSERT INTO public.events VALUES ('72y42hkepj', 10, 10, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","members"],["replica",0],["revision",1],["workload","berth-72y42hkepj-members-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-members-1-0","pod":"members","revision":1,"replica":0}', 1, 1795698247246, 1795698247246);
INSERT INTO public.events VALUES ('72y42hkepj', 11, 11, 'progress', '[["kind","progress"],["progress",45]]', '{"progress":45}', 1, 1795698247246, 1795698247246);
INSERT INTO public.events VALUES ('72y42hkepj', 12, 12, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","migration"],["replica",0],["revision",1],["workload","berth-72y42hkepj-migration-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-migration-1-0","pod":"migration","revision":1,"replica":0}', 1, 1795698248056, 1795698248056);
INSERT INTO public.events VALUES ('72y42hkepj', 13, 13, 'pod', '[["kind","pod"],["pod","migration"],["state","starting"]]', '{"pod":"migration","state":"starting"}', 1, 1795698248060, 1795698248060);
INSERT INTO public.events VALUES ('72y42hkepj', 14, 14, 'progress', '[["kind","progress"],["progress",47]]', '{"progress":47}', 1, 1795698248060, 1795698248060);
INSERT INTO public.events VALUES ('72y42hkepj', 15, 15, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-72y42hkepj-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795698249422, 1795698249422);
INSERT INTO public.events VALUES ('72y42hkepj', 16, 16, 'progress', '[["kind","progress"],["progress",49]]', '{"progress":49}', 1, 1795698249425, 1795698249425);
INSERT INTO public.events VALUES ('72y42hkepj', 17, 17, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",1],["revision",1],["workload","berth-72y42hkepj-web-1-1"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-web-1-1","pod":"web","revision":1,"replica":1}', 1, 1795698250459, 1795698250459);
INSERT INTO public.events VALUES ('72y42hkepj', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698250460, 1795698250460);
INSERT INTO public.events VALUES ('72y42hkepj', 19, 19, 'progress', '[["kind","progress"],["progress",52]]', '{"progress":52}', 1, 1795698250460, 1795698250460);
INSERT INTO public.events VALUES ('72y42hkepj', 20, 20, 'pod', '[["kind","pod"],["pod","migration"],["state","ready"]]', '{"pod":"migration","state":"ready"}', 1, 1795698251207, 1795698251207);
INSERT INTO public.events VALUES ('72y42hkepj', 21, 21, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795698251207, 1795698251207);
INSERT INTO public.events VALUES ('72y42hkepj', 22, 22, 'progress', '[["kind","progress"],["progress",80]]', '{"progress":80}', 1, 1795698251207, 1795698251207);
INSERT INTO public.events VALUES ('72y42hkepj', 23, 23, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","members"],["replica",1],["revision",1],["workload","berth-72y42hkepj-members-1-1"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-members-1-1","pod":"members","revision":1,"replica":1}', 1, 1795698252288, 1795698252288);
INSERT INTO public.events VALUES ('72y42hkepj', 24, 24, 'pod', '[["kind","pod"],["pod","members"],["state","starting"]]', '{"pod":"members","state":"starting"}', 1, 1795698252288, 1795698252288);
INSERT INTO public.events VALUES ('72y42hkepj', 25, 25, 'progress', '[["kind","progress"],["progress",83]]', '{"progress":83}', 1, 1795698252288, 1795698252288);
INSERT INTO public.events VALUES ('72y42hkepj', 26, 26, 'pod', '[["kind","pod"],["pod","members"],["state","ready"]]', '{"pod":"members","state":"ready"}', 1, 1795698252701, 1795698252701);
INSERT INTO public.events VALUES ('72y42hkepj', 27, 27, 'progress', '[["kind","progress"],["progress",90]]', '{"progress":90}', 1, 1795698252701, 1795698252701);
INSERT INTO public.events VALUES ('72y42hkepj', 28, 28, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","agent"],["replica",0],["revision",1],["workload","berth-72y42hkepj-agent-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-72y42hkepj-agent-1-0","pod":"agent","revision":1,"replica":0}', 1, 1795698253883, 1795698253883);
INSERT INTO public.events VALUES ('72y42hkepj', 29, 29, 'pod', '[["kind","pod"],["pod","agent"],["state","starting"]]', '{"pod":"agent","state":"starting"}', 1, 1795698253883, 1795698253883);
INSERT INTO public.events VALUES ('72y42hkepj', 30, 30, 'progress', '[["kind","progress"],["progress",92]]', '{"progress":92}', 1, 1795698253883, 1795698253883);
INSERT INTO public.events VALUES ('72y42hkepj', 31, 31, 'pod', '[["kind","pod"],["pod","agent"],["state","ready"]]', '{"pod":"agent","state":"ready"}', 1, 1795698254459, 1795698254459);
INSERT INTO public.events VALUES ('72y42hkepj', 32, 32, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795698254459, 1795698254459);
INSERT INTO public.events VALUES ('72y42hkepj', 33, 33, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.0.4","port":3000},{"path":"/","address":"10.200.0.5","port":3000}],"revision":1}', 1, 1795698255037, 1795698255037);
INSERT INTO public.events VALUES ('72y42hkepj', 34, 34, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795698255162, 1795698255162);
INSERT INTO public.events VALUES ('hn5uf2roui', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795698255928, 1795698255928);
INSERT INTO public.events VALUES ('hn5uf2roui', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795698256430, 1795698256430);
INSERT INTO public.events VALUES ('hn5uf2roui', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698256430, 1795698256430);
INSERT INTO public.events VALUES ('hn5uf2roui', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795698256430, 1795698256430);
INSERT INTO public.events VALUES ('hn5uf2roui', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795698256923, 1795698256923);
INSERT INTO public.events VALUES ('hn5uf2roui', 6, 6, 'operation', '[["because","missing"],["kind","operation"],["operation","create-volume"],["sizeBytes",1073741824],["volume","shared.votes"]]', '{"because":"missing","operation":"create-volume","volume":"shared.votes","sizeBytes":1073741824}', 1, 1795698257559, 1795698257559);
INSERT INTO public.events VALUES ('hn5uf2roui', 7, 7, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-hn5uf2roui-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-hn5uf2roui-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795698258926, 1795698258926);
INSERT INTO public.events VALUES ('hn5uf2roui', 8, 8, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795698258926, 1795698258926);
INSERT INTO public.events VALUES ('hn5uf2roui', 9, 9, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795698258926, 1795698258926);
INSERT INTO public.events VALUES ('hn5uf2roui', 10, 10, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795698259022, 1795698259022);
INSERT INTO public.events VALUES ('hn5uf2roui', 11, 11, 'progress', '[["kind","progress"],["progress",71]]', '{"progress":71}', 1, 1795698259022, 1795698259022);
INSERT INTO public.events VALUES ('hn5uf2roui', 12, 12, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-hn5uf2roui-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-hn5uf2roui-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795698260382, 1795698260382);
INSERT INTO public.events VALUES ('hn5uf2roui', 13, 13, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698260382, 1795698260382);
INSERT INTO public.events VALUES ('hn5uf2roui', 14, 14, 'progress', '[["kind","progress"],["progress",78]]', '{"progress":78}', 1, 1795698260382, 1795698260382);
INSERT INTO public.events VALUES ('hn5uf2roui', 17, 17, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.0.131","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.0.131","port":80}],"revision":1}', 1, 1795698260741, 1795698260741);
INSERT INTO public.events VALUES ('hn5uf2roui', 18, 18, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795698260806, 1795698260806);
INSERT INTO public.events VALUES ('oxcwjnivum', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795698261626, 1795698261626);
INSERT INTO public.events VALUES ('oxcwjnivum', 6, 6, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-oxcwjnivum-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-oxcwjnivum-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795698262230, 1795698262230);
INSERT INTO public.events VALUES ('oxcwjnivum', 7, 7, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795698262230, 1795698262230);
INSERT INTO public.events VALUES ('oxcwjnivum', 8, 8, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795698262230, 1795698262230);
INSERT INTO public.events VALUES ('oxcwjnivum', 9, 9, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-oxcwjnivum-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-oxcwjnivum-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795698262877, 1795698262877);
INSERT INTO public.events VALUES ('oxcwjnivum', 10, 10, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698262877, 1795698262877);
INSERT INTO public.events VALUES ('oxcwjnivum', 11, 11, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795698262877, 1795698262877);
INSERT INTO public.events VALUES ('oxcwjnivum', 12, 12, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795698262979, 1795698262979);
INSERT INTO public.events VALUES ('oxcwjnivum', 13, 13, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795698262979, 1795698262979);
INSERT INTO public.events VALUES ('oxcwjnivum', 14, 14, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795698262979, 1795698262979);
INSERT INTO public.events VALUES ('75pau7swl4', 6, 6, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","cache"],["replica",0],["revision",1],["workload","berth-75pau7swl4-cache-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-75pau7swl4-cache-1-0","pod":"cache","revision":1,"replica":0}', 1, 1795698266482, 1795698266482);
INSERT INTO public.events VALUES ('75pau7swl4', 7, 7, 'pod', '[["kind","pod"],["pod","cache"],["state","starting"]]', '{"pod":"cache","state":"starting"}', 1, 1795698266482, 1795698266482);
INSERT INTO public.events VALUES ('75pau7swl4', 8, 8, 'progress', '[["kind","progress"],["progress",50]]', '{"progress":50}', 1, 1795698266482, 1795698266482);
INSERT INTO public.events VALUES ('75pau7swl4', 9, 9, 'operation', '[["because","revision 1"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",1],["workload","berth-75pau7swl4-web-1-0"]]', '{"because":"revision 1","operation":"start","workload":"berth-75pau7swl4-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795698267333, 1795698267333);
INSERT INTO public.events VALUES ('75pau7swl4', 10, 10, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698267333, 1795698267333);
INSERT INTO public.events VALUES ('75pau7swl4', 11, 11, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795698267333, 1795698267333);
INSERT INTO public.events VALUES ('75pau7swl4', 12, 12, 'pod', '[["kind","pod"],["pod","cache"],["state","ready"]]', '{"pod":"cache","state":"ready"}', 1, 1795698267784, 1795698267784);
INSERT INTO public.events VALUES ('75pau7swl4', 13, 13, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795698267784, 1795698267784);
INSERT INTO public.events VALUES ('75pau7swl4', 14, 14, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795698267784, 1795698267784);
INSERT INTO public.events VALUES ('hn5uf2roui', 15, 15, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795698260609, 1795698260609);
INSERT INTO public.events VALUES ('hn5uf2roui', 16, 16, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795698260609, 1795698260609);
INSERT INTO public.events VALUES ('oxcwjnivum', 20, 20, 'operation', '[["because","revision 2"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",2],["workload","berth-oxcwjnivum-web-2-0"]]', '{"because":"revision 2","operation":"start","workload":"berth-oxcwjnivum-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795698264970, 1795698264970);
INSERT INTO public.events VALUES ('oxcwjnivum', 21, 21, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698264970, 1795698264970);
INSERT INTO public.events VALUES ('oxcwjnivum', 22, 22, 'progress', '[["kind","progress"],["progress",78]]', '{"progress":78}', 1, 1795698264970, 1795698264970);
INSERT INTO public.events VALUES ('oxcwjnivum', 23, 23, 'pod', '[["kind","pod"],["pod","web"],["state","ready"]]', '{"pod":"web","state":"ready"}', 1, 1795698264991, 1795698264991);
INSERT INTO public.events VALUES ('oxcwjnivum', 24, 24, 'progress', '[["kind","progress"],["progress",99]]', '{"progress":99}', 1, 1795698264991, 1795698264991);
INSERT INTO public.events VALUES ('75pau7swl4', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795698265134, 1795698265134);
INSERT INTO public.events VALUES ('75pau7swl4', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795698265428, 1795698265428);
INSERT INTO public.events VALUES ('75pau7swl4', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698265428, 1795698265428);
INSERT INTO public.events VALUES ('75pau7swl4', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795698265428, 1795698265428);
INSERT INTO public.events VALUES ('75pau7swl4', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698268061, 1795698268061);
INSERT INTO public.events VALUES ('75pau7swl4', 19, 19, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795698268061, 1795698268061);
INSERT INTO public.events VALUES ('75pau7swl4', 23, 23, 'pod', '[["because","does not listen on port 80"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"does not listen on port 80"}', 1, 1795698269278, 1795698269278);
INSERT INTO public.events VALUES ('75pau7swl4', 24, 28, 'pod', '[["because","exited with code 3"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"exited with code 3"}', 3, 1795698269407, 1795698273005);
INSERT INTO public.events VALUES ('75pau7swl4', 31, 31, 'pod', '[["kind","pod"],["pod","cache"],["revision",1],["state","ready"]]', '{"pod":"cache","state":"ready","revision":1}', 1, 1795698274815, 1795698274815);
INSERT INTO public.events VALUES ('75pau7swl4', 32, 32, 'pod', '[["kind","pod"],["pod","web"],["revision",1],["state","ready"]]', '{"pod":"web","state":"ready","revision":1}', 1, 1795698274815, 1795698274815);
INSERT INTO public.events VALUES ('oxcwjnivum', 1, 1, 'intent', NULL, '{"intent":"start","revision":1}', 1, 1795698261012, 1795698261012);
INSERT INTO public.events VALUES ('oxcwjnivum', 2, 2, 'pod', '[["kind","pod"],["pod","cache"],["state","waiting"]]', '{"pod":"cache","state":"waiting"}', 1, 1795698261427, 1795698261427);
INSERT INTO public.events VALUES ('oxcwjnivum', 3, 3, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698261427, 1795698261427);
INSERT INTO public.events VALUES ('oxcwjnivum', 4, 4, 'progress', '[["kind","progress"],["progress",42]]', '{"progress":42}', 1, 1795698261427, 1795698261427);
INSERT INTO public.events VALUES ('oxcwjnivum', 15, 15, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.1.3","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.1.3","port":80}],"revision":1}', 1, 1795698262995, 1795698262995);
INSERT INTO public.events VALUES ('oxcwjnivum', 16, 16, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795698263000, 1795698263000);
INSERT INTO public.events VALUES ('oxcwjnivum', 17, 17, 'intent', NULL, '{"intent":"update","revision":2}', 1, 1795698263716, 1795698263716);
INSERT INTO public.events VALUES ('oxcwjnivum', 18, 18, 'pod', '[["kind","pod"],["pod","web"],["state","waiting"]]', '{"pod":"web","state":"waiting"}', 1, 1795698264082, 1795698264082);
INSERT INTO public.events VALUES ('oxcwjnivum', 19, 19, 'progress', '[["kind","progress"],["progress",71]]', '{"progress":71}', 1, 1795698264082, 1795698264082);
INSERT INTO public.events VALUES ('oxcwjnivum', 25, 25, 'operation', '[["because","revision 2"],["endpoints",[{"path":"/","address":"10.200.1.4","port":80}]],["kind","operation"],["operation","route"],["revision",2]]', '{"because":"revision 2","operation":"route","endpoints":[{"path":"/","address":"10.200.1.4","port":80}],"revision":2}', 1, 1795698265004, 1795698265004);
INSERT INTO public.events VALUES ('oxcwjnivum', 26, 26, 'state', '[["kind","state"],["revision",2],["state","running"]]', '{"state":"running","revision":2}', 1, 1795698265010, 1795698265010);
INSERT INTO public.events VALUES ('oxcwjnivum', 27, 27, 'operation', '[["addresses",["10.200.1.3"]],["because","revision 2"],["kind","operation"],["operation","drain"]]', '{"because":"revision 2","operation":"drain","addresses":["10.200.1.3"]}', 1, 1795698265157, 1795698265157);
INSERT INTO public.events VALUES ('oxcwjnivum', 28, 28, 'operation', '[["because","outdated"],["kind","operation"],["operation","remove"],["pod","web"],["replica",0],["revision",1],["workload","berth-oxcwjnivum-web-1-0"]]', '{"because":"outdated","operation":"remove","workload":"berth-oxcwjnivum-web-1-0","pod":"web","revision":1,"replica":0}', 1, 1795698265585, 1795698265585);
INSERT INTO public.events VALUES ('75pau7swl4', 5, 5, 'operation', '[["because","missing"],["kind","operation"],["operation","create-network"]]', '{"because":"missing","operation":"create-network"}', 1, 1795698265808, 1795698265808);
INSERT INTO public.events VALUES ('75pau7swl4', 15, 15, 'operation', '[["because","revision 1"],["endpoints",[{"path":"/","address":"10.200.1.131","port":80}]],["kind","operation"],["operation","route"],["revision",1]]', '{"because":"revision 1","operation":"route","endpoints":[{"path":"/","address":"10.200.1.131","port":80}],"revision":1}', 1, 1795698268001, 1795698268001);
INSERT INTO public.events VALUES ('75pau7swl4', 16, 16, 'state', '[["kind","state"],["revision",1],["state","running"]]', '{"state":"running","revision":1}', 1, 1795698268010, 1795698268010);
INSERT INTO public.events VALUES ('75pau7swl4', 17, 17, 'intent', NULL, '{"intent":"update","revision":2}', 1, 1795698268034, 1795698268034);
INSERT INTO public.events VALUES ('75pau7swl4', 20, 20, 'operation', '[["because","revision 2"],["kind","operation"],["operation","start"],["pod","web"],["replica",0],["revision",2],["workload","berth-75pau7swl4-web-2-0"]]', '{"because":"revision 2","operation":"start","workload":"berth-75pau7swl4-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795698269048, 1795698269048);
INSERT INTO public.events VALUES ('75pau7swl4', 21, 21, 'pod', '[["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting"}', 1, 1795698269048, 1795698269048);
INSERT INTO public.events VALUES ('75pau7swl4', 22, 22, 'progress', '[["kind","progress"],["progress",57]]', '{"progress":57}', 1, 1795698269048, 1795698269048);
INSERT INTO public.events VALUES ('75pau7swl4', 25, 25, 'pod', '[["because","exited with code 3; since its restart: does not listen on port 80"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"exited with code 3; since its restart: does not listen on port 80"}', 1, 1795698269865, 1795698269865);
INSERT INTO public.events VALUES ('75pau7swl4', 27, 27, 'pod', '[["because","exited with code 3; since its restart: port 80 has not answered yet"],["kind","pod"],["pod","web"],["state","starting"]]', '{"pod":"web","state":"starting","because":"exited with code 3; since its restart: port 80 has not answered yet"}', 1, 1795698272850, 1795698272850);
INSERT INTO public.events VALUES ('75pau7swl4', 29, 29, 'pod', '[["because","exited with code 3"],["kind","pod"],["pod","web"],["state","failed"]]', '{"pod":"web","state":"failed","because":"exited with code 3"}', 1, 1795698274686, 1795698274686);
INSERT INTO public.events VALUES ('75pau7swl4', 30, 30, 'state', '[["because","exited with code 3"],["hint","it has written nothing"],["kind","state"],["pods",["web"]],["servingRevision",1],["state","failed"]]', '{"state":"failed","pods":["web"],"because":"exited with code 3","repeated":"crash loop, restarted 5 times","hint":"it has written nothing","servingRevision":1,"lastLines":[]}', 1, 1795698274717, 1795698274717);
INSERT INTO public.events VALUES ('75pau7swl4', 33, 33, 'operation', '[["because","outdated"],["kind","operation"],["operation","remove"],["pod","web"],["replica",0],["revision",2],["workload","berth-75pau7swl4-web-2-0"]]', '{"because":"outdated","operation":"remove","workload":"berth-75pau7swl4-web-2-0","pod":"web","revision":2,"replica":0}', 1, 1795698275131, 1795698275131);
INSERT INTO public.installation VALUES ('baoqqdf2au', 1795698235395, 'f53e8a1f9b13aade');
INSERT INTO public.kysely_migration VALUES ('0001-initial', '2026-11-26T13:03:54.429Z');
INSERT INTO public.kysely_migration VALUES ('0002-commitments', '2026-11-26T13:03:54.436Z');
INSERT INTO public.kysely_migration VALUES ('0003-revision-images', '2026-11-26T13:03:54.455Z');
INSERT INTO public.kysely_migration VALUES ('0004-image-access', '2026-11-26T13:03:54.483Z');
INSERT INTO public.kysely_migration VALUES ('0005-pulled-images', '2026-11-26T13:03:54.486Z');
INSERT INTO public.kysely_migration VALUES ('0006-accounts', '2026-11-26T13:03:54.670Z');
INSERT INTO public.kysely_migration VALUES ('0007-abuse', '2026-11-26T13:03:54.759Z');
INSERT INTO public.kysely_migration VALUES ('0008-evictions', '2026-11-26T13:03:54.822Z');
INSERT INTO public.kysely_migration VALUES ('0009-lease-outlines', '2026-11-26T13:03:54.898Z');
INSERT INTO public.kysely_migration VALUES ('0010-seeds', '2026-11-26T13:03:54.951Z');
INSERT INTO public.kysely_migration VALUES ('0011-hashed-sign-ins', '2026-11-26T13:03:54.957Z');
INSERT INTO public.kysely_migration VALUES ('0012-active-names', '2026-11-26T13:03:55.027Z');
INSERT INTO public.kysely_migration VALUES ('0013-events', '2026-11-26T13:03:55.077Z');
INSERT INTO public.kysely_migration VALUES ('0014-pods', '2026-11-26T13:03:55.078Z');
INSERT INTO public.kysely_migration VALUES ('0015-session-tokens', '2026-11-26T13:03:55.081Z');
INSERT INTO public.kysely_migration VALUES ('0016-counts', '2026-11-26T13:03:55.082Z');
INSERT INTO public.kysely_migration VALUES ('0017-volume-sizes', '2026-11-26T13:03:55.082Z');
INSERT INTO public.kysely_migration VALUES ('0018-pushed-images', '2026-11-26T13:03:55.139Z');
INSERT INTO public.kysely_migration VALUES ('0019-routes', '2026-11-26T13:03:55.152Z');
INSERT INTO public.kysely_migration VALUES ('0020-several-processes', '2026-11-26T13:03:55.245Z');
INSERT INTO public.kysely_migration VALUES ('0021-store-moves', '2026-11-26T13:03:55.264Z');
INSERT INTO public.kysely_migration VALUES ('0022-committed-sum', '2026-11-26T13:03:55.313Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.leases VALUES ('72y42hkepj', 1795698785096, NULL, NULL, 'C7DVjuKFQpS7KJ1E');
INSERT INTO public.leases VALUES ('hn5uf2roui', 1795698858905, NULL, NULL, 'xfQKLRJeGCg16C2T');
INSERT INTO public.leases VALUES ('oxcwjnivum', 1795698738084, NULL, NULL, 'Dke8-E1h2G2PfBae');
INSERT INTO public.leases VALUES ('75pau7swl4', 1795698843375, NULL, NULL, 'X8cuGDjsu94e2FWc');
INSERT INTO public.origins VALUES ('72y42hkepj', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('hn5uf2roui', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('oxcwjnivum', '127.0.0.1', '127.0.0.1');
INSERT INTO public.origins VALUES ('75pau7swl4', '127.0.0.1', '127.0.0.1');
INSERT INTO public.revisions VALUES ('72y42hkepj', 1, '\x42525431f53e8a1f9b13aade6458a1bce6c5e648a9140906c6aed3aa821e9a607373913f255aca822c6cfa8e53907d973453debb9e50eca5564811ccb15ddadc14b692a9b623ab8345b894bca9c8721895ae0f4b24e5bf57c5a7137a0742ce941ba0c168f182d1d7e88ae630cff3e9a9ba59b42ecc11d76fd892f0c96abe031de13941c92f274f960a5372fba7fd2e93e8204ce658aff176d22334291b59f01e1154273d937c344c57b710867c419308271ad3deb4b9a629c0504e73eca017b34b7e7a6ab1de8bc2a5dc7ade0defdecbf900697b16a1273c3f383ab85f3f5bcd50e7924723d62fa1e3bf212c4a89140bc05fdf2fb5fad6f330c824a0819232ddcc52e1a9ab0a98bd3926a2f9f84a2074cac1a0c725ae2605079d9bacd59429f5d45080cd24d0ae8accb8160357de183d24f62c931340cbbc7d1d21eb2362b1231de6513595fc37a7db71b08b4a417d8c4e53c0e866116baba5b544036e5203c41e90d13cda8531ab2cd4503138ed61a7d6da7e0398ee2a10d69be603a094d70834efe4e76a0090fe945e30db585b4be9a38e823e2d0049645fd2cb9658d5935697a381c8ec09ac226fb92b633737aa451c690346bac016aee690ab8f8cbbacd05fe4c2b291f68794913f09b69ac5deb485d96de440d82a8a1db795c53cf29336c5efc68f81a86ef0f8a7d04d8ea28119556680ef779945291c7123151a8453a7e64a1c4188372a08062a327f0247261a5721396242a70362244bee4e42062c5e412f2f78a6bab88f8825af0962e4cc32ae707ed9eb01d39ec8c1cfbf7f1b608b90b58f06f05317182afb0ee96001c0c7ac81b140f8da6a06254eedd4c4204a9db06c22008da65f939a3ddb5527d2f993dc81fddad20682d2d13ef9554966a0eb92b142e1847d39ac9640b566b6603a64fd0d2b23db685098c5c9810488ead77d6b66e581ca29452fc90062b0318c0b02484a03e970912eaf0702285e787b6db9b2d05f91a4990bcb869418fb878a5e0a6d6b8ae2af1ae7a34df4639753c872dea7da7e9a67792f438f4d4bec57fd3f2b09221fb49cc00237ae73d8613089f008eeb9cef4c084fe5a73bb14f0dce470ada601192f23bc87f2f1a662f5ea797c18b8758f3de5abf1fe31bd75f52ac2f34ebec311672676b9f52d598758e8998ed3b978922f8d1eeccf83219d43c0335decf2f27cdbb9b51f2e52f069ca2d90123ff872fc1ec7ad5e772e2aa16497bfd4c0779cb9afe91bf39d99529ff4d1e0b78b5c93e44f458aceba9aae92cec2feeb301b059dfba6be5cf29d9ea6fc7c73af70651d616bc15e60a621b25ee4e861b14cf83039180f175bd2b80db29b9a19ace3a54f810285d6b9f5bd526f0edd73e2fdd1c828940bca8c6ff071bb0ff808e151b2c660888866b39e9a0b7f29c1d05b3f467c5aae5973683a171256f6e4e85bceb9059e5f69ad79210c1154c45fb01ade477950cb0f8db050cfd48f7de223d60712deff2b906ee1ddcf646e2bc61e7481d34766b323fe6469976fc5b5099002fb60836c90733c3e7b63fbae6e78983783b497484cdd99d60e33364b6b363114c61069f1d8a55266ee8026cc2ffbdba2789fd2cd8cac78587f38bacb28a1c883bd0cb3824b147bd041edcf02c43b55b66f1a6d4dd05674ecba82c594c43e7e9d1fd2d8aee3864e6f2d3dfcb9a74a15c9b1e4228219382a4dead8a390b3a3f86644c839ea098f5b3edfcd0397e9026be5e541f088b1b5a5f1b8a281cc2b44808cde8705bc857c9f075457f01da278bf2c270304bc9201caa31a5876baf864e5818c891cc1b587ca8aa0f5082d589fde93d907012833d79dcf65706b1572f6560c0652792a9c8630292bdbe0815a0b63f67bc3b30e597edec8f75bd1d5f852562593c6301ad3dbd25fa03bc90a78649cbf677584752f4a6dae843d6b1ef64b5b51b9888e78de3a554c820422b5cb1f12c8dc78be7e21ed32d7fe97a1549c03db9e6b8b8bcc82c037139b14c941baa8fd2b7d523214ea8c704468ced841e0d3d2c392c8623b87a3d76c44eee7dd5ecc499e3ee09cd9b12f79074f9330557b2ba8ba3e7c729834c191e728c81c2b1399ecf49f95c28686a8291433dbc7318ca083623b57971de69372b8c038b2f12b618ac152075cef2151f7dc7232fda6bc7f478a9ec4c150b98a2cbaf596c2b0be85dcb94248d1ee9f5978d2da6a3106927a92f8166ed432fbf31153d1fe23467150afdc2ae03ae5b4ed29a989bf3e579174a870785fe6b55f8fde3c6175e7d554ca8911604130b97de65afcba068e37a63e7f685b05e50a2f18caca495fb0d5b992a5e9bb4b1d41da3f373936c3ddfa4170da48d29c559c20e7aa752e80ab80eb23c66d37b215f59a', '\x42525431f53e8a1f9b13aade99ecb265c4ba34c39b15b170845b6c6152df7266f09064ae08bafd3c303a4841c378aea71dc0432f3ccd965360a9279338ec4c506b2f7687c32aa901e7e488e3a7c404b9563448316c3246026e38afe17a83f06cbbe5387b4a4a24baed84c1879d049ccc9f3576be3d6ca9fad84a8466865f37437a6aabc949fc7336d266dbae3fde47f6281d4381a2dae5846814876ef61545bdb1bed011f9ee04f5af53b752c4ff3d8836c4e276d0b1cf1311f07a0a0aa4cf76be9937f59bf8b6ad399909f3991ea67209a9aafc1800045b4d4cb86ee6155d2c4b0933366ab9272c7953cbaa04ba9fc7d6662517831c001cf744a9d274d1939eab04589624584f54168892f0325da5d5fb18ad365771df946f4610c2d9a9993fc231c8c5f130e186f87971b5142fc2ba8b6bdfed9cccbf2c8284558006dbffe2fe04b7ddd77ca5d61add5953a6035e49bcfbd4f509c65217fb9c654aed0edf8255a23b7c3d3989411ffa3cb1415e22938dafa9cdd89d4e793fb1ae3aa370038284de776cd82df0762677c182cc96d9e8e7f461a21c24ff48c46da03bbccb481af57f98b3b2298fdbe52fd34e98bfef45755a160f17fb8ce2287027be516964e85f73c42ddf13b91ee5c345de5927803632c8a1d4113160042b8bec4a9e822edd34f7c9c602d1d3009ee83e11620a8dfcfe1dcbc7ab50c20873e4159f047ce2a1eda3f79211050dfcbe78431da7f5a1df500e6e00016633873df5ba2a35503995636860b36f697cdc837533c4679c80e5918f096430bbc5b188f0ac083f6b2d8b4ba1474bfb5b3f55c458cc1973f2b6b0cfc6e2385628f99b2803fd731d595380846fc603f334a3a119ef9b0b1493284ae4a6686ed8c022e12f9f6f8385f647883ac9596f3d5db48df4c4403cc08e50a1788e4d31a227475410ceb3bc6db8059f5c0534d892b6a68238f770efa52801550b7826cffe06249e4c3d107373170d810e924e77972e6e38f945f784d665629569fcc1e0e62361a59ab1f1eb2c9de9507f74b4fdf7039168336bd839ba621303cf12b1dfbba854d0f0a60d80f264b6277a188097e89fb6bbdf4deda43be90077e11592199cc82154dceef3c34a7013e8abc1e5bf4e000483a29eac519a2687a1be3363524cb604a6d91c54b834a3ffcbfd67ebb242203e557bcdce0a5bff2e126daf4024707d55fb3102073ae3d8664a84bb4a90a5e09aba29d37daa804aeb912b4e3baeacf063293db17f1ff2ae1423062f339b5edae9cffe22e12571048a0facaa3636a1822ad34270a31c3d360a04beff977bab3df6075b46a80b3e55b8a130836859a40e185064c3ca08ab05fa38196d6812d268773cb55666df595c1db0ec8c8152d8537d4267067b6ddc7d9f546247d0ea90e8fa7de0f8e4fd1bfcdd7858ad5cad10f3609e5ba98a8c2196ad2f46641326a22ed937fc7d9b510fade8515ba745ece6d83eb365f8b970333ca732a7b24298ac9ab06b9a4f42208c8c3c855159213d76c1805034b1e83737eb8bb3fe151ecdcbf81e2314c53883df99d45184b0fc14e568227e80ba6b71baf25da5a9d4830b990799a713d968e9030779012a5860ffb5c885326bd5126e44c98aa7c69d856b70274ab08bbf3f77a5581b11537b4890fb2738fa859291916b0592bbae07c3927e6a6019acd76570ec9e0e542650e346c26b3e2567ee317c5dcd6e78ec1a2751fd5cfebc6031ace807e5fdff8a67ae741a78e22d473bbfa621551cce296d81aff85db0688ddfd35ead934c3512bf9adfda76652d231bc2814c18673a3714a6eb', 1795698241405, 201326592, 378, 230331648, '["node:26-slim","redis:7"]', 6, 2, 0, '[["members-data",16777216],["members-1-data",16777216]]');
INSERT INTO public.revisions VALUES ('hn5uf2roui', 1, '\x42525431f53e8a1f9b13aade26c3175aa6c348b6f79864d57e56a310b6af235f20f34d070859704ec237838dd1b4cba657c8ab89aa71467caf15049b359386976532ed92bf8890055c2770e5f5fb84022822aace05f4be3488a91c88bf0afab0d7d53fa2baf54ac9fda376e032ea2f253e365d4abff97d62b42f72eadb5f155e77a64acc2d1fa3c691e8a20abcb1f3f643c61d306fa769726f6aa9ebd8eb67b4e6db58799a7754dcaf5b282d65cba37a3b1b6c4933dfd63792af42d57111e390ebb6d8c0a814bea0358d8333c3ba5d74a869ddae41f593d30297f3e27052c2ba73a003cb20c5d195c8084073df07a8b3e9216702024de327eadf3527e337db53ce83ea494bd3849a018757a0f43b8bcf502b85d05254d978af4ddd1876523c4fb0208e1f7c06d63dd9ff201ba30429ad57c849562ab2b2f6a586f84d2a3ed0b4db96f200989f9d122f4dc08ca9c09c9fe1fc994f4a6171fa7e64818cccbe48bd1c5ede0fd261b911fc907bed714e659e91435a6c5859400104583d3ee970de956760aa50564a14900c5d1290f0779923e73a850ca82561c7155199f69dd07ed8cbde92402d1034afb41137db69ea7a778a7a2210e795d4829a4cab791f1e677c8e94705a650ba068f63fea9637c214ed74df6b5465de4bd2ad306bab1c8f9688b9764fa67027187832bee514a0fc9f2455227649fbba05df1005ea567a09d1f788681dceb54a9c8f335316b4101813b8f8c1e8f4a73d26103ef82dd800235859d7192cd5c0934c057cd210327c5f9263423b12bdc4705501e7f4f38a6ccd1f8029df953a042dc6e2daaa3715afb029c8979c91829934b2ba0fe4f9d2a051e5af29df1c8ce3542395bd02767b2d3273366310ec48822509f761568b39b247953f5f56', '\x42525431f53e8a1f9b13aadec35696eb10c7b2c03511c34371b1180a7787776d6afa2c8306e09deadf4aec24f4fb30050f12d97d2441e1e8a089470d7ed2d665caaf366fb1e9b3dba52756e3ff2a6f1e861163e1aea89e5b89df0b080db69a6be6bb76c434dd5eb376c14277a7a0bac33c350226f764a1515716b0cf6468684c085c6f93e7e28f398eac8ebfe5b7030d5263c59da3b1147ba6d1261beef328cb4389cbea2034179a73b9290cee7b9688a5fa999d60889fa7aa75eeef3a9e676891cbd2dc80fe6f32d757cb52ad27f42b63f5c88a463c09824bab87fa0dab401ab1e10f94707340dff238dec45f33c16563135c2c11f953f306b0e872ce5525b73fe73f6bece4a21b3070aa5ab4c086c558a299339e96787af34844b8', 1795698255928, 67108864, 126, 1142130432, '["nginx:1","redis:7"]', 2, 1, 0, '[["shared.votes",1073741824]]');
INSERT INTO public.revisions VALUES ('oxcwjnivum', 1, '\x42525431f53e8a1f9b13aade5f9515c57ef41acbdb5fde02cbc30a5fd52bfb83944fa498acb58baedf2282b833e6cb95b8226441f64ee64aed4290a24af99df46e0609b87d75bf864c638890ebc95e41b2662c27eaf847bdd05ec7c94ddd9aeb73c931ef238968771ddd0b46e9624d6b6bd636ab8a2ff4b2f4e657e72acc52e472895b416f88bb1395a4c0dfbf3a5e1dcfdefe900912850d3755d4d87301d62a660c793948a64f9b818915de2e10b82a9b17d076cf403d26c9ba794e7c49f7bdeaad4ee24acc25743b3a8dc8f4108ee92e0986381f19e9e33faecfbeff5afe3feb087ad2fbe16a5b44458487ae36a6a02b00c0d7514454675b630643fa072af140ea64e3ccfec7997252907543a53d95737c7335994243c12cc40827f367ead9ff773f177e4103d2b7a110fe7728d23c937d723dc154df085ce84b46df0d0344abff30709afd36659b6b04ffdff272b30372b883c311f250d6e102a8af9f206e2ba9623efb18f6c578d70987c40e3d349b781a1cf9226b1e584f8f46c109ac2e4005cf1a8b384b2fb1c795ef2c876d57bac8474e635e1110d8d5444343f5a29ca8afbb5875a33ce01bb2d74f996556cbef5193890607d4e5a6c166a92907f12a1cd63e8498e343f1c66bf65f75efdf57932eb5f1a7439f3f3282a2382e2a6193972ccdd9335f221e566f0e52b8f184746b400e12964c520047a74e61ec00c5cef00b94e761', '\x42525431f53e8a1f9b13aaded62984a288ec164ee80c741efa5ccc5e0b1b81bef84fc0f24574c3a1f89c3c9a87f8b66d2b660932aebb0748aa1c2df65f72a9ed29f52253feb9a33eb42eb1a619f2cc621f3fb69561b865aa43d72d26baaa85bc7dda20c390cb21c9b331d34bde821930dddb5dbe563f36e519ff47775e4704e0a88cb75ff4ac442939c2173357fa9fdc115e85ad2c405b276c61db5611c5c0b514336701999bfba639384cdb28f1fba7e8f8b7f9f31162daf7649671f101ae14c6da1083534869b03da0b3d80088480d909cc2b5099aca3a040494d41988c6828f8b9b306a89', 1795698261012, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]');
INSERT INTO public.revisions VALUES ('oxcwjnivum', 2, '\x42525431f53e8a1f9b13aade98c0d6397a71a8905dd1c3e4882d02fa688524b32fd8c95f64fe7652c09ea9ad32ff92b780244eb67ee4783f051fa3dadf47a6b3e54d2d96e2ab54ece426c503d6c2ef1bec727efd618f2fca6945370acb92b6c0be019453cee0ac1ededb9b858aa2d621d422fde2bf6833b57fce85059ac066e28b7f8d58c5a80f40f27fd5aa287348e4054ea8b3de26aed6281ccd5c6ff15e251d8936aeb373f7380bc0143545fa5e997c5d7c98dcdc564ee116c3eb436fe4268b45f838528b54ae50cb041164fde4a98addfad640fac330bcbac3fe5143a095fcf42774148c7e89ba6c8828b517695be0f308796d39d35c5664f245d0549c8894195da52e7b2a102cbc2241fadfa427907d1ac21524e89ee9bb9264dc6861490d9b86fbefbdd1b6f2a0b0544919df81051038f6c7e2ae4f1746132cff1019f9a5e2794bf78542c89f5914ea3208c9c353411ee667e63e20a5b79c960b56e6d99de9cee4201e8b19472a3857df5db125b3dda3a7bd542e2fb8e9ce322a8d7ac8cebeca78d13a2f58b351d9af6fd3d99ea5de6c0580cc18df8ddd4313d09c6cc4ba5ab0b5bec3da8e262f5587b2064a03451587fac172b507a3dc8441eb0aa3f3576092a0c26e959971006c9c5c691fd3a99230451c155a92e162595d0a9f18007022889be12c17f4d029da92859ebf7f7bc348f031fbb42a05dbb4a1d85e9eb2edb8e6ed789776d69fa830a9', '\x42525431f53e8a1f9b13aade1889a3c35c43c511557b526a30973ace8d115b16ac4f4a7d629e5f26c4af402788032a2ec461937d6becead17450d036c8307a7972ab7c8c0ebe5e775dcaeaad732631af74f219e3f09fce47b287e7d17e6302dbdd662774b3e49c42f8cc52baa11b53e947cd9e28e5ae6a84ec649af66422c3380f90d2bc4fb01d049eb5f3ba6b755b94d17095ab061c34e4c9ce00d0269aef5de49ddf393cf882d57e3cc214ee2f28957c0c44702cc7aaed024b085234cf39949a666caf1cfd67d6701bc89626186659e4b55e2e1f3abf4b4fb10555261d4597d5470167969f324f3e8fd61d64', 1795698263716, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]');
INSERT INTO public.revisions VALUES ('75pau7swl4', 1, '\x42525431f53e8a1f9b13aade8a0c326500b0ee6e045f78e97121922e1e3b0dafcec0bb6344e436a23ba54d72923d3a97c92d183afd5501afd71658a66711eb5c9bd30b8ae9bc30b2f632a2cc7fc305e0165cb75942dcdc4e1f317e60d718d0caf4d7f30b40ea85422235913f49fe26852bcc7cfac180243955fd162f16e1b79b390972c1e9828b7d300f08f5f7d5ccb01f13db6520ec6994a2ceda87abbcf420f2a40d36b6b25166ca3845ad4e7618b0c6a839cc0803f4703eff2b513154fc43aaf5ee080b7e49255cb0ac85754d54b0aaf5fa226160785b85e629251a63788ad52877fb2b8a707c8cad7b0fd683335da5f339cbda6bdaf88ac5e7efef9fb99b3682e0f054ceb1469d4a046a60ff733d05e27156bca7356ef11bb74566734cf21ae623dc405df3c3fb99fc2b40d6d5b00e1b9041776fb61d275d092a65ff3527da7e2ae579af4f99bf4b7d693c774a1b3792ac6d0fb916ae422aabcfce406c0edb9f17fa166190392b010fa7aae1adb6e994662d4d0a5faf31fa2e18749623b1d31b1857d3834298f6d5301cdfba1a8a4b10b2b88329a67509028d2365c62dafe6236354c4d054ae4d645d09bd7f3a78533b38d5b73b802592cf66cafb475b1574d52ecd4b898777188ec6e146c13d5a1ab4ec8778981af45aad2848e757ee75f383e47c926b381713508290b4515d16ac24d8d082751d6108fa08aee8d581a1761fef43f387a7c4', '\x42525431f53e8a1f9b13aade1202b0069f033ec824be823ff0a5b8e0ec910cca027ac74b98661493ecc62d6234b2631b8dd4c91cc83faeaefa5d8975701fb164c6b940e97cfab4488d5885bb076e5e77952eec1d24d633469bca7034e04bb39a2ced91d6df8f68e3581af38062e1ee38916d6df71bd0d9995652a704355c7aa851bb7224714292323e5ef862b234276213c4e8c939ec5a0083ef1ece729ba7c5768c3ae6c36e4feb63e542f614369731283f1cc7637ba370629b8a3574a6bcf1902fe20f3ceaf18c5da47e0e4a93a41c34beabb9657d568b4f3e7e666211a9bab2aab34740000aa76c', 1795698265134, 67108864, 126, 60000000, '["nginx:1","redis:7"]', 2, 0, 0, '[]');
INSERT INTO public.revisions VALUES ('75pau7swl4', 2, '\x42525431f53e8a1f9b13aade6291d6e26e6619f4b6c0d51d45dacda6d71f49c867bfa777aed54ea7faaf147bd4a21dfd20723e1be8cb1153abd7c686ca4c3345f7a45690886ba06dd51d7c90ac234e12d9f725becaa7d1865c4bb2c369a91bcb7bd92fd7da5992c964b9d69420ae1789cc76ab3203c5021c245d5b9a4ed041cf49f87216e3ed336e647a04d0d822c7ab06b51c3ce9d3bc42b8637dbdc003ee3f8c102617fd0ea50d7cfe027a88ff651cff076ec919d08be34ace88f02183fbd2e2b97128ee191ab595a633f01faadd5f96dfb89d73a5eed28257ca2abf31154fe0bc4421cf57453e34bafd8c38c6c8b937d2a0a3bff996343944f81fbb8efd25cb91a1fcb4194b382df2c0278cce32905189a997cd2f9a4f460bba9f8568b1e79970262907a1ba4357061edea7f1e72b253a536af63abf5aab1dabfb8b9da115990475dfd6ad763f60b94732a8934b5704b4cc575e6e2175', '\x42525431f53e8a1f9b13aadeebf6112643b6fa9dee410b99f92d9406a295d0dad75af86ab789a7bdb12462b56b6a237726887aea6fea73ada2cebc33da01200b70d97cca57e283ad2d65117e4c18eeae5db1b8de13d70afe0209fb766c0bcf48b25d5c6c6d252ffbd6f683b3835b0f93e77baa3697e32e56e010e696dd5d3805e28e97a54dd25608248d2ece2f4f194c3ffffcec91bbf86dad3ccd39be2b54118bdf36327c6abbc1a81eb0a959182ac8126c9480d95c61e2c31d', 1795698268034, 33554432, 63, 30000000, '["node:26-slim"]', 1, 0, 0, '[]');
INSERT INTO public."routeTable" VALUES (1, 6);
INSERT INTO public.seeds VALUES ('72y42hkepj', '\x42525431f53e8a1f9b13aadeaa3c07b2c569f4878f11617617d03196cf3fc88ed43c16c7b1e80a774f264a939eeb616e984b86d7864248b9f57fb6471305b35cd933bd7eb0955d1c69267e06d1b5b5246b0a49');
INSERT INTO public.seeds VALUES ('hn5uf2roui', '\x42525431f53e8a1f9b13aade5d79e92d213f4e0dff29ae50cac94cd8a062d65fe91f3481b0fd26a62735738a5fa873e88b7e8c63379bb08019ec1810764db70d60a36b664cafbb57701681686b21a18bc1c7b9');
INSERT INTO public.seeds VALUES ('oxcwjnivum', '\x42525431f53e8a1f9b13aaded8f0f72b11ee132b530aca54268322747c0fd280b0308e242439d359b3967c062070e0e883ca0fffa2ce77091d0434d2a40528129afcc36191087c1755dbf7e0471a40038c6718');
INSERT INTO public.seeds VALUES ('75pau7swl4', '\x42525431f53e8a1f9b13aaded58b29a49acfa434cbdc910a5789cfc0678fd8a9e538f42c6c6b3e37c83917c991e077bf8e84f7bcc7812b4d43629805b6ea5a3e28ae2c219a24abc04808974f036e0958822a3f');
INSERT INTO public.sessions VALUES ('e6a808a3-24b0-4aeb-a79e-1974f0c414ee', 'b423cee76a21b728419b6c8e8fcc33b29a43312b211e14f1df48fe71692b8686', 1795698241405, NULL, 1795698241405, '127.0.0.1', 1795698243176, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('43a65fdd-8f90-433a-a22f-6ea3c2c94d82', '9cb2904630c1cd3dce17b03642f58dbfd7541391a7a47e415e71afa22387149c', 1795698255928, NULL, 1795698255928, '127.0.0.1', 1795698256364, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('f778de7a-a57a-4d26-9a7f-cb90dfac26df', '3172117db14929b6c5987e330ae3dfa09f4af6fb651769c26b53d4b1c2555faf', 1795698261012, NULL, 1795698261012, '127.0.0.1', 1795698261409, '127.0.0.1', NULL, 'free');
INSERT INTO public.sessions VALUES ('57f759e8-59a2-4092-a445-251a587b35fb', '559f77a7512f79a2dc12d2e85d4d0b940a0d5a1288b63c81bf9946cb4ae29793', 1795698265134, NULL, 1795698265134, '127.0.0.1', 1795698265404, '127.0.0.1', NULL, 'free');
INSERT INTO public."signIns" VALUES ('9ounpDXM8oIabXANt6Cmuf7v0MU1Lcyb', '2026-12-26 13:04:43.624+00', 'df547d2e3e090c1d850740fc37dbfcdda139df187eb3810fddd5d686a12ae422', '2026-11-26 13:04:43.624+00', '2026-11-26 13:04:43.624+00', '', '', '53yGbd8Clm0tfQRYCsEoeBEjBT0lr8RC');
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_key UNIQUE (email);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."apiKeys"
    ADD CONSTRAINT "apiKeys_keyHash_key" UNIQUE ("keyHash");
ALTER TABLE ONLY public."apiKeys"
    ADD CONSTRAINT "apiKeys_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."auditEntries"
    ADD CONSTRAINT "auditEntries_pkey" PRIMARY KEY (number);
ALTER TABLE ONLY public.bans
    ADD CONSTRAINT bans_key PRIMARY KEY (kind, subject);
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
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY ("deploymentId");
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
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_token_key" UNIQUE (token);
ALTER TABLE ONLY public."spentProofs"
    ADD CONSTRAINT "spentProofs_pkey" PRIMARY KEY (hash);
ALTER TABLE ONLY public."storeMoves"
    ADD CONSTRAINT "storeMoves_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);
CREATE INDEX "apiKeys_account" ON public."apiKeys" USING btree ("accountId");
CREATE INDEX claims_deployment ON public.claims USING btree ("deploymentId");
CREATE INDEX "credentials_userId_idx" ON public.credentials USING btree ("userId");
CREATE UNIQUE INDEX deployments_active_name ON public.deployments USING btree ("sessionId", "applicationName") WHERE (("removedAt" IS NULL) AND (state <> 'expired'::text) AND ("sharesName" = 0));
CREATE INDEX deployments_gone ON public.deployments USING btree ("goneAt");
CREATE INDEX deployments_routes ON public.deployments USING btree ("routesVersion");
CREATE INDEX deployments_session ON public.deployments USING btree ("sessionId", "applicationName");
CREATE UNIQUE INDEX events_sequence ON public.events USING btree ("deploymentId", sequence);
CREATE INDEX evictions_deployment ON public.evictions USING btree ("deploymentId", revision);
CREATE INDEX idempotency_deployment ON public.idempotency USING btree ("deploymentId");
CREATE INDEX leases_due ON public.leases USING btree ("dueAt");
CREATE INDEX leases_held ON public.leases USING btree ("leasedUntil");
CREATE INDEX "manifestParts_digest" ON public."manifestParts" USING btree (digest);
CREATE INDEX origins_client ON public.origins USING btree (client);
CREATE INDEX "passkeys_credentialID_idx" ON public.passkeys USING btree ("credentialID");
CREATE INDEX "passkeys_userId_idx" ON public.passkeys USING btree ("userId");
CREATE INDEX "pushedBlobs_digest" ON public."pushedBlobs" USING btree (digest);
CREATE INDEX "pushedManifests_digest" ON public."pushedManifests" USING btree (digest);
CREATE INDEX "pushedManifests_namespace" ON public."pushedManifests" USING btree (namespace);
CREATE INDEX sessions_account ON public.sessions USING btree ("accountId");
CREATE INDEX "signIns_userId_idx" ON public."signIns" USING btree ("userId");
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
ALTER TABLE ONLY public."signIns"
    ADD CONSTRAINT "signIns_userId_fkey" FOREIGN KEY ("userId") REFERENCES public.accounts(id) ON DELETE CASCADE;
