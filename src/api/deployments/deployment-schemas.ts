/** What the API says of a deployment, as schemas for its answers and for the description. */
import { Type } from 'typebox';
import { severities } from '../../config/diagnostics/diagnostics.ts';
import { deploymentStates, podStates } from '../../deployment/deployment.ts';
import { reasonFields } from '../../deployment/event/event.ts';
import { healths } from '../../deployment/status/deployment-health.ts';
import { DomainRecord } from '../custom-domains/domain-records.ts';

export const PodRecord = Type.Object({
  name: Type.String(),
  state: Type.Enum([...podStates], {
    description: '`degraded`: it is ready, and keeps restarting; or it was ready, and its check fails since.',
  }),
  message: Type.Optional(Type.String({ description: 'What it waits for, or what is wrong with it.' })),
  pulling: Type.Optional(
    Type.Object(
      { doneBytes: Type.Integer({ minimum: 0 }), totalBytes: Type.Integer({ minimum: 0 }) },
      { description: 'How much of its image has come of what has to, while it is on its way.' },
    ),
  ),
  healthCheckBody: Type.Optional(
    Type.String({
      description:
        'The first 500 bytes of what its failing health check answered, without known secrets. Text of the application: not to be trusted.',
    }),
  ),
  image: Type.String({
    description:
      'What it runs from, by digest once that is known; of an image that was pushed here, as its owner names it.',
  }),
  revision: Type.Integer({ minimum: 1, description: 'The one that it was started for.' }),
  restarts: Type.Integer({ minimum: 0, description: 'How often it was restarted after an exit.' }),
  lastExit: Type.Optional(
    Type.Object(
      {
        code: Type.Integer(),
        reason: Type.String({ description: 'In words, e.g. `exited with code 3`.' }),
        hint: Type.Optional(Type.String({ description: 'What can be done about it.' })),
        at: Type.String({ format: 'date-time' }),
      },
      { description: 'How it last ended, whatever it is doing now.' },
    ),
  ),
});

export const DiagnosticRecord = Type.Object({
  severity: Type.Enum([...severities], {
    description: 'Errors refuse the configuration. A note says what happens, and asks for nothing.',
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
      { description: 'Replaces what stands from `from` up to `to`, offsets in UTF-16 units, by `text`.' },
    ),
  ),
});

/** What is odd about a configuration that is accepted, and which parameters of the query had no meaning. */
export const RemarkFields = {
  warnings: Type.Array(Type.String(), { description: 'What is odd about the request, although it is accepted.' }),
  diagnostics: Type.Array(DiagnosticRecord, { description: 'The same of the configuration, as values, and notes.' }),
};

export const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'Parameters of the query that are not known and were ignored.' }),
);

const AdviceRecord = Type.Object(
  {
    kind: reasonFields.advice.properties.kind,
    pod: reasonFields.advice.properties.pod,
    listensOn: reasonFields.advice.properties.port,
    declared: reasonFields.advice.properties.instead,
  },
  { description: 'A change of the configuration that mends it.' },
);

export const StatusRecord = Type.Object({
  state: Type.Enum([...deploymentStates]),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  health: Type.Enum([...healths], {
    description:
      'The state, more exactly. `degraded`: it runs, and a pod keeps restarting or is not ready. ' +
      '`serving`: an update has failed, and an earlier revision serves. ' +
      '`stopped`: its owner has stopped it, and the state is that of before.',
  }),
  message: Type.Optional(Type.String({ description: 'Why it failed, or what is wrong, in words.' })),
  advice: Type.Optional(AdviceRecord),
  revision: Type.Integer({ minimum: 1, description: 'The one that was asked for last.' }),
  servingRevision: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The last one that became ready; absent before the first has.' }),
  ),
  lastLines: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What the pod that made it fail wrote last, without known secrets; while it deploys and in the minutes after a restart, what the pod that is not ready or was restarted wrote, its previous run included. What repeats is there once; its first line ends with how often, e.g. `×3`.',
    }),
  ),
  pods: Type.Optional(Type.Array(PodRecord)),
});

const ExtendRecord = Type.Object({
  available: Type.Boolean(),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
  remaining: Type.Integer({ minimum: 0 }),
});

const LinksRecord = Type.Object(
  {
    status: Type.String({ format: 'uri', description: 'GET: answers when it runs, has failed or has ended.' }),
    events: Type.String({ format: 'uri', description: 'GET: every step as it comes (server-sent events).' }),
    logs: Type.String({ format: 'uri', description: 'GET: what the pods write.' }),
    update: Type.String({ format: 'uri', description: 'POST a corrected or newer configuration.' }),
    claim: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'POST `{ "applicationName" }`: a link to keep it. Absent when it is.',
      }),
    ),
    dashboard: Type.Optional(Type.String({ format: 'uri', description: 'A page for people.' })),
  },
  { description: 'What can be done next. None has the token: send it as `Authorization: Bearer <sessionToken>`.' },
);

/** Of a claimed deployment: what its document names with `url`, and with `subdomain` of its pods. */
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
  { description: 'The deployment, on its way.' },
);

/** What `dryRun=true` is answered: nothing has been changed, so there is nothing to name. */
export const DryRunRecord = Type.Object(
  {
    message: Type.String(),
    applicationName: Type.String(),
    dryRun: Type.Literal(true),
    ...RemarkFields,
  },
  { description: 'With `dryRun=true`: the same request without it would be accepted. Nothing was changed.' },
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
  { description: 'The new revision, on its way to the same URL.' },
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
  percent: Type.Optional(Type.Integer({ description: 'How full the volume was then.' })),
  pod: Type.Optional(Type.String({ description: 'The one that was stopped.' })),
});

const CertificateRecord = Type.Object(
  {
    because: Type.Enum(['ordered', 'limit', 'failed', 'late'], {
      description:
        '`ordered`: it comes within seconds; `limit`: the authority issues no more before `until`; `failed`: it is asked again then; `late`: it has one, which ends then and was not renewed.',
    }),
    until: Type.Optional(Type.String({ format: 'date-time' })),
    message: Type.String(),
  },
  {
    description:
      'What its address waits for before it can be reached by HTTPS, or that it soon cannot be any more. Absent when all is well.',
  },
);

export const RestorableUntil = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      'Of one that has ended: until then its volumes are kept, and `POST /restoreDeployment` brings it back.',
  }),
);

/** Of one deployment there is more to say than its session's list does. */
export const DeploymentRecord = Type.Object(
  {
    ...ReservationRecord.properties,
    status: Type.Object({
      ...StatusRecord.properties,
      disk: Type.Optional(
        Type.Array(DiskWarningRecord, {
          description: 'Volumes that are getting full, and pods stopped for what they wrote.',
        }),
      ),
      certificate: Type.Optional(CertificateRecord),
    }),
    extend: ExtendRecord,
    claim: Type.Object({ claimed: Type.Boolean() }),
    reservation: Type.Object({ held: Type.Boolean({ description: 'Whether it outlives its time limit.' }) }),
    restorableUntil: RestorableUntil,
    warnings: Warnings,
  },
  { description: 'The deployment as it is now.' },
);

export const MessageRecord = Type.Object(
  { message: Type.String(), warnings: Warnings },
  { description: 'What was done.' },
);

/** A text that is sent as it comes. */
export const StreamedText = Type.Unsafe<unknown>({ type: 'string' });

export const ErrorRecord = Type.Object({
  error: Type.String(),
  code: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.String())),
  diagnostics: Type.Optional(Type.Array(DiagnosticRecord)),
});

export const ProofRequiredRecord = Type.Object({
  ...ErrorRecord.properties,
  challenge: Type.Optional(
    Type.Unknown({ description: 'With `proof_of_work_required`: what the header Berth-Proof-Of-Work has to solve.' }),
  ),
});
