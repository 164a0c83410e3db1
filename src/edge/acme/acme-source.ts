/**
 * Certificates of an authority as a source for the edge. Serves the certificates in the store, ordered by any process.
 */
import type { Kysely } from 'kysely';
import type { Instant } from '../../deployment/deployment.ts';
import { type CertificateListener, lateAt } from '../../lib/certificate-report.ts';
import type { MailOperator } from '../../lib/mail-transport.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { runRounds } from '../../lib/rounds.ts';
import type { Seal } from '../../lib/seal.ts';
import { orAbort } from '../../lib/wait.ts';
import { accountKey, addChallenge, removeChallenge } from '../../store/acme.ts';
import { type CertificateState, certificateStates, recordAlert } from '../../store/certificates.ts';
import type { Database } from '../../store/database.ts';
import { ownedDomains, servedDomains } from '../../store/domains.ts';
import { createDuty, type StoreProcess } from '../../store/duties.ts';
import { servedLabels } from '../../store/routes.ts';
import type { Tables } from '../../store/rows.ts';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import type { EdgeLog } from '../edge-settings.ts';
import type { Edge } from '../haproxy/haproxy.ts';
import type { Answerer, AuthoritySettings, Challenge } from './authority.ts';
import { type Alarm, certificateAlarms } from './certificate-alarm.ts';
import { createCertificateCache } from './certificate-cache.ts';
import { isServed, planOrders, type WantedCertificate, waitingHosts, wantedCertificates } from './certificate-plan.ts';
import { dnsHook as openHook } from './dns-hook.ts';
import { dutyMs, type Issuing, issueDue } from './issuing.ts';

export type AcmeSettings = AuthoritySettings & {
  /** The command that sets DNS records. Without it, each host is validated separately. */
  dnsHook: readonly [string, ...string[]] | undefined;
  /** The record that proves all names of applications is in DNS, once and for all. */
  dnsPersist: boolean;
  /** New certificates for deployments in seven days. */
  maxInWeek: number;
};

export type AcmeParts = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  onCertificates: CertificateListener;
  /** Absent without mail to the operator. */
  mailOperator?: MailOperator | undefined;
  process?: StoreProcess | undefined;
  metrics?: Metrics | undefined;
};

/** A deployment's certificate is ordered at most this long after it starts to serve. */
const lookEveryMs = 2_000;

export async function openAcmeSource(
  settings: AcmeSettings & { apiHost: string; appsDomain: string },
  { db, seal, now, onCertificates, mailOperator, process, metrics }: AcmeParts,
): Promise<CertificateSource> {
  // These modules are large, and most services do not need them.
  const [{ openAuthority, makeAccountKey }, { makePlaceholder }] = [
    await import('./authority.ts'),
    await import('./placeholder.ts'),
  ];
  const { apiHost, appsDomain, dnsHook, dnsPersist, directory } = settings;
  const wildcardBy = dnsHook ? 'dns-01' : dnsPersist ? 'dns-persist-01' : undefined;
  const cache = createCertificateCache({ db, seal, first: await makePlaceholder() });
  let authority: ReturnType<Issuing['authority']> | undefined;

  async function wanted() {
    const labels = wildcardBy ? [] : await servedLabels(db);
    const leading = (await servedDomains(db)).filter(({ finding }) => finding?.direction.kind === 'here');
    return wantedCertificates({ apiHost, appsDomain, wildcardBy, labels, domains: leading });
  }

  /**
   * States without lost names. The certificate of a lost name stays in case its owner verifies it again, but is not
   * shown.
   */
  async function shownStates(): Promise<CertificateState[]> {
    const owned = new Set((await ownedDomains(db)).map(({ name }) => name));
    const isOurs = (host: string) => host === apiHost || host.endsWith(`.${appsDomain}`);
    return (await certificateStates(db)).filter(({ host }) => isOurs(host) || owned.has(host));
  }

  async function openOnce(): ReturnType<Issuing['authority']> {
    const key = await accountKey(db, seal, { directory: directory.href, make: makeAccountKey });
    return openAuthority(settings, key);
  }

  async function report(): Promise<void> {
    const [rows, all] = [await certificateStates(db), await wanted()];
    const states = new Map(rows.map((state) => [state.host, state]));
    const plan = planOrders(all, rows, { now: now(), maxInWeek: settings.maxInWeek, appsDomain });
    // The target of a custom domain is the concern of its owner, and does not affect the service's health.
    const hosts = all.filter(({ isCustom }) => !isCustom);
    const present = hosts.flatMap(({ host }) => states.get(host) ?? []);
    const served = present.filter((state) => isServed(state, now()));
    const api = states.get(apiHost);
    onCertificates({
      served: served.map((state) => {
        const [begunAt, expiresAt] = [state.issuedAt!, state.expiresAt!];
        return { hosts: [state.host], expiresAt, lateAt: lateAt({ begunAt, expiresAt }) };
      }),
      missing: hosts.length - served.length,
      failing: present.filter(({ failures, problem }) => failures > 0 && problem !== null).length,
      isReady: hosts.every(({ host, isOwn }) => !isOwn || isServed(states.get(host), now())),
      isRenewed: api !== undefined && isServed(api, now()) && api.issuedAt! > api.firstIssuedAt!,
      waiting: waitingHosts(plan, rows, now()),
    });
  }

  await cache.read(await shownStates(), now());
  await report();
  return {
    served: cache.certificates(),
    follow(edge: Pick<Edge, 'certify'>, log: EdgeLog, answers: Promise<void>): AsyncDisposable {
      const end = new AbortController();
      const answerer = createAnswerer({ db, now, log, dnsHook });
      const issuing: Issuing = {
        db,
        seal,
        now,
        log,
        wanted,
        answerer,
        maxInWeek: settings.maxInWeek,
        appsDomain,
        random: Math.random,
        underWay: new Map(),
        stored: () => serving.soon(),
        alarm: mailOperator && createAlarm({ db, now, log, service: apiHost, mailOperator }),
        authority: () => {
          authority ??= openOnce();
          authority.catch(() => {
            authority = undefined;
          });
          return authority;
        },
      };
      const common = { everyMs: lookEveryMs, signal: end.signal, metrics };
      /** Certificates that this process stored are served immediately; those of other processes, at the next check. */
      const serving = runRounds({
        ...common,
        name: 'certificates-served',
        async work() {
          await cache.read(await shownStates(), now());
          await cache.put((certificates) => edge.certify(certificates));
          await report();
        },
        onFault: (err) => log.warn({ err }, 'new certificates cannot be served'),
      });
      const duty = createDuty({ db, name: 'certificates', forMs: dutyMs, process, now });
      // An earlier order would fail, and its retry would be a minute later.
      const ordering = orAbort(answers, end.signal).then(
        () =>
          runRounds({
            ...common,
            name: 'certificates',
            work: async () => void ((await duty.take()) && (await issueDue(issuing, end.signal))),
            onFault: (err) => log.warn({ err }, 'certificates cannot be ordered'),
          }),
        () => undefined,
      );
      return {
        async [Symbol.asyncDispose]() {
          end.abort();
          await serving[Symbol.asyncDispose]();
          await (await ordering)?.[Symbol.asyncDispose]();
          // The orders end first: other processes place none while this process has the duty.
          await Promise.all(issuing.underWay.values());
          await duty.leave().catch(() => {});
        },
      };
    },
  };
}

/** Mails certificate alarms to the operator and records what was sent. */

/**
 * The minimum time between two mails of a kind. Hosts that fail in between are listed in the next mail. Also the pause
 * after a mail server has refused a mail.
 */
const betweenMailsMs = 3_600_000;

type AlarmParts = {
  db: Database;
  now: () => Instant;
  log: EdgeLog;
  /** The name of the installation. */
  service: string;
  mailOperator: MailOperator;
};

function createAlarm({ db, now, log, service, mailOperator }: AlarmParts) {
  const lastAt = new Map<Alarm['kind'], Instant>();
  return async (wanted: readonly WantedCertificate[], states: readonly CertificateState[]): Promise<void> => {
    for (const { kind, hosts, subject, text } of certificateAlarms(wanted, states, { now: now(), service })) {
      if (now() - (lastAt.get(kind) ?? Number.NEGATIVE_INFINITY) < betweenMailsMs) continue;
      lastAt.set(kind, now());
      try {
        await mailOperator({ subject, text });
        await recordAlert(db, hosts, kind);
      } catch (error) {
        // The server's response may contain the address.
        log.warn(
          { reason: (error as NodeJS.ErrnoException).code },
          'the email about certificates to the operator could not be sent',
        );
      }
    }
  };
}

/**
 * Answers challenges of an authority: through the store, which every edge reads, or in DNS with the operator's command.
 */

/** Challenges of killed services expire after this. */
const answersForMs = 3_600_000;

/** Name servers of a zone may take minutes to synchronize. */
const hookLimitMs = 3 * 60_000;

type AnswererParts = {
  db: Kysely<Tables>;
  now: () => Instant;
  log: EdgeLog;
  dnsHook: readonly [string, ...string[]] | undefined;
};

function createAnswerer({ db, now, log, dnsHook }: AnswererParts): (signal: AbortSignal) => Answerer {
  const hook = dnsHook && openHook(dnsHook, { limitMs: hookLimitMs });
  return (signal) => ({
    async show(challenge) {
      const { kind, host, token, answer } = challenge;
      if (kind === 'http-01') return await addChallenge(db, { host, token, answer, expiresAt: now() + answersForMs });
      await hook!('set', recordOf(challenge), signal);
    },
    /** The certificate does not depend on it. */
    async hide(challenge) {
      const hidden =
        challenge.kind === 'http-01'
          ? removeChallenge(db, challenge.token)
          : hook!('remove', recordOf(challenge), signal);
      await hidden.catch((error: Error) => log.warn({ problem: error.message }, 'a challenge was not removed'));
    },
  });
}

/** RFC 8555, 8.4. */
function recordOf({ host, answer }: Challenge) {
  return { name: `_acme-challenge.${host}`, value: answer };
}
