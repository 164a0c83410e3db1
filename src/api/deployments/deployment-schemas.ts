/** The API's records of a deployment, as schemas for its answers and for the description. */
import { Type } from 'typebox';
import { severities } from '../../config/diagnostics/diagnostics.ts';
import { deploymentStates, podStates } from '../../deployment/deployment.ts';
import { reasonFields } from '../../deployment/event/event.ts';
import { healths } from '../../deployment/status/deployment-health.ts';
import { DomainRecord } from '../custom-domains/domain-records.ts';

export const PodRecord = Type.Object({
  name: Type.String(),
  state: Type.Enum([...podStates], {
    description: '`degraded`: the pod is ready but keeps restarting, or it was ready and its check now fails.',
  }),
  message: Type.Optional(Type.String({ description: 'The reason why the pod waits, or its problem.' })),
  pulling: Type.Optional(
    Type.Object(
      { doneBytes: Type.Integer({ minimum: 0 }), totalBytes: Type.Integer({ minimum: 0 }) },
      { description: 'The downloaded part and the total size of its image, during the download.' },
    ),
  ),
  healthCheckBody: Type.Optional(
    Type.String({
      description: 'The first 500 bytes of the response to the failing health check. Untrusted text.',
    }),
  ),
  image: Type.String({
    description: 'The image, with its digest once it is resolved.',
  }),
  revision: Type.Integer({ minimum: 1, description: 'The revision that it was started for.' }),
  restarts: Type.Integer({ minimum: 0, description: 'The number of restarts after an exit.' }),
  lastExit: Type.Optional(
    Type.Object(
      {
        code: Type.Integer(),
        reason: Type.String({ description: 'A phrase such as `exited with code 3`.' }),
        hint: Type.Optional(Type.String({ description: 'How to fix the problem.' })),
        at: Type.String({ format: 'date-time' }),
      },
      { description: 'How the pod last ended, regardless of its current state.' },
    ),
  ),
});

export const DiagnosticRecord = Type.Object({
  severity: Type.Enum([...severities], {
    description: 'An error rejects the configuration. A note is informational and requires no change.',
  }),
  code: Type.String({ description: 'Stable and machine-readable.', examples: ['duplicate-path'] }),
  path: Type.String({ examples: ['application.pods[0].image'] }),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
  fix: Type.Optional(
    Type.Object(
      { from: Type.Integer(), to: Type.Integer(), text: Type.String() },
      { description: 'Replaces the range from `from` up to `to` (offsets in UTF-16 code units) with `text`.' },
    ),
  ),
});

/** Warnings about an accepted configuration, and unknown parameters of the query. */
export const RemarkFields = {
  warnings: Type.Array(Type.String(), { description: 'Warnings about the accepted request.' }),
  diagnostics: Type.Array(DiagnosticRecord, {
    description: 'The warnings and notes about the configuration, as structured values.',
  }),
};

export const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'Names the unknown query parameters, which were ignored.' }),
);

const AdviceRecord = Type.Object(
  {
    kind: reasonFields.advice.properties.kind,
    pod: reasonFields.advice.properties.pod,
    listensOn: reasonFields.advice.properties.port,
    declared: reasonFields.advice.properties.instead,
  },
  { description: 'A change to the configuration that fixes the problem.' },
);

const SleepRecord = Type.Object(
  {
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Absent while it is awake.' })),
    wakes: Type.Integer({ minimum: 0, description: 'How often a request has woken it up.' }),
    wokeInMs: Type.Optional(Type.Integer({ minimum: 0, description: 'How long the last wake took.' })),
  },
  { description: 'Present if the deployment sleeps, or has slept.' },
);

export const StatusRecord = Type.Object({
  state: Type.Enum([...deploymentStates]),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  health: Type.Enum([...healths], {
    description:
      'More precise than `state`. `degraded`: a pod keeps restarting or is not ready. ' +
      '`serving`: an update has failed, and an earlier revision serves. ' +
      '`stopped`: the owner has stopped the deployment. `asleep`: it is not used; the next request wakes it up.',
  }),
  message: Type.Optional(Type.String({ description: 'Why the deployment failed, or its current problem.' })),
  advice: Type.Optional(AdviceRecord),
  revision: Type.Integer({ minimum: 1, description: 'The revision that was requested last.' }),
  servingRevision: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The last revision that became ready; absent until the first is ready.' }),
  ),
  lastLines: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The last log lines of the pod that failed, restarted, or is not ready, without known secrets. A repeated line appears once, with its count, such as `×3`.',
    }),
  ),
  pods: Type.Optional(Type.Array(PodRecord)),
  sleep: Type.Optional(SleepRecord),
});

const ExtendRecord = Type.Object({
  available: Type.Boolean(),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
  remaining: Type.Integer({ minimum: 0 }),
});

const LinksRecord = Type.Object(
  {
    status: Type.String({
      format: 'uri',
      description: 'GET: responds when the deployment runs, has failed, or has ended.',
    }),
    events: Type.String({ format: 'uri', description: 'GET: each step as it happens (server-sent events).' }),
    logs: Type.String({ format: 'uri', description: 'GET: the logs of the pods.' }),
    update: Type.String({ format: 'uri', description: 'POST a corrected or newer configuration.' }),
    claim: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'POST `{ "applicationName" }`: returns a link to claim the deployment. Absent if it is claimed.',
      }),
    ),
    dashboard: Type.Optional(Type.String({ format: 'uri', description: 'The dashboard page of the deployment.' })),
  },
  {
    description:
      'Links to the next actions. They do not contain the token: send it as `Authorization: Bearer <sessionToken>`.',
  },
);

/** The domains that the document of a claimed deployment names with `url`, and with `subdomain` of its pods. */
const NamedDomains = {
  domain: Type.Optional(DomainRecord),
  subdomains: Type.Optional(Type.Array(DomainRecord)),
};

export const StartRecord = Type.Object(
  {
    message: Type.String(),
    url: Type.String({ format: 'uri' }),
    sessionToken: Type.String(),
    applicationName: Type.String(),
    environment: Type.String(),
    status: StatusRecord,
    extend: ExtendRecord,
    claim: Type.Object({ claimed: Type.Boolean() }),
    links: LinksRecord,
    ...NamedDomains,
    ...RemarkFields,
  },
  { description: 'The deployment, which is being started.' },
);

/** The response to `dryRun=true`. It names no deployment, because nothing is created. */
export const DryRunRecord = Type.Object(
  {
    message: Type.String(),
    applicationName: Type.String(),
    dryRun: Type.Literal(true),
    source: Type.Optional(
      Type.Object(
        {
          document: Type.String({ description: 'The complete configuration that was read from the source.' }),
          written: Type.Array(Type.Object({ name: Type.String(), content: Type.String() }), {
            description: 'The files that the service writes, because the source has no Dockerfile or configuration.',
          }),
        },
        { description: 'For source code: how it is built.' },
      ),
    ),
    ...RemarkFields,
  },
  {
    description: 'With `dryRun=true`: the service would accept the request. Nothing was changed.',
  },
);

export const UpdateRecord = Type.Object(
  {
    message: Type.String(),
    url: Type.String({ format: 'uri' }),
    status: StatusRecord,
    links: LinksRecord,
    ...NamedDomains,
    ...RemarkFields,
  },
  { description: 'The new revision, which is being deployed to the same URL.' },
);

export const ReservationRecord = Type.Object(
  {
    applicationName: Type.String(),
    environment: Type.String(),
    url: Type.String({ format: 'uri' }),
    status: StatusRecord,
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
  },
  { description: 'A deployment of the session.' },
);

const DiskWarningRecord = Type.Object({
  at: Type.String({ format: 'date-time' }),
  message: Type.String(),
  volume: Type.Optional(Type.String()),
  level: Type.Optional(Type.Enum(['nearly full', 'full'])),
  percent: Type.Optional(Type.Integer({ description: 'How full the volume was at that time.' })),
  pod: Type.Optional(Type.String({ description: 'The pod that was stopped.' })),
});

const CertificateRecord = Type.Object(
  {
    because: Type.Enum(['ordered', 'limit', 'failed', 'late'], {
      description:
        '`ordered`: arrives within seconds. `limit`: the authority issues none before `until`. `failed`: the next request is at `until`. `late`: not renewed, expires at `until`.',
    }),
    until: Type.Optional(Type.String({ format: 'date-time' })),
    message: Type.String(),
  },
  {
    description: 'Why the address is not available over HTTPS yet, or soon will not be. Absent without a problem.',
  },
);

export const RestorableUntil = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'The time until which an ended deployment can be restored.',
  }),
);

/** The record of one deployment. It has more fields than the entries of a session's list. */
export const DeploymentRecord = Type.Object(
  {
    ...ReservationRecord.properties,
    status: Type.Object({
      ...StatusRecord.properties,
      disk: Type.Optional(
        Type.Array(DiskWarningRecord, {
          description: 'Volumes that are almost full, and pods that were stopped because of their disk use.',
        }),
      ),
      certificate: Type.Optional(CertificateRecord),
    }),
    extend: ExtendRecord,
    claim: Type.Object({ claimed: Type.Boolean() }),
    reservation: Type.Object({
      held: Type.Boolean({ description: 'Whether the deployment keeps running past its time limit.' }),
    }),
    restorableUntil: RestorableUntil,
    warnings: Warnings,
  },
  { description: 'The current state of the deployment.' },
);

export const MessageRecord = Type.Object(
  { message: Type.String(), warnings: Warnings },
  { description: 'A sentence that describes the result.' },
);

/** A text that is sent as it comes. */
export const StreamedText = Type.Unsafe<unknown>({ type: 'string' });

export const ErrorRecord = Type.Object({
  error: Type.String(),
  code: Type.Optional(Type.String({ description: 'One of the codes in `/docs/reference/errors.md`.' })),
  hint: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.String())),
  diagnostics: Type.Optional(Type.Array(DiagnosticRecord)),
});

export const ProofRequiredRecord = Type.Object({
  ...ErrorRecord.properties,
  challenge: Type.Optional(
    Type.Unknown({
      description: 'With `proof_of_work_required`: the challenge that the header Berth-Proof-Of-Work must solve.',
    }),
  ),
});
