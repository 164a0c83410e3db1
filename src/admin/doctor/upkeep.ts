/** Maintenance tasks that operators easily forget. Pure. */
import type { Orphans } from '../orphans.ts';
import { bad, type Check, good, type Observation, unknown, warn } from './check.ts';

const dayMs = 24 * 3_600_000;

/** `undefined`: there never was one. */
export function judgeBackup(lastAt: Observation<number | undefined>, now: number): Check {
  const todo = 'Run "berth admin backup --to PLACE" daily, by cron or a systemd timer.';
  if ('fault' in lastAt)
    return unknown('backup', `The time of the last backup is unknown: ${lastAt.fault}.`, 'See database.');
  if (lastAt.value === undefined) return bad('backup', 'No backup was ever made.', todo);
  const days = Math.floor((now - lastAt.value) / dayMs);
  const words = `The last backup is of ${new Date(lastAt.value).toISOString()}`;
  if (days >= 7) return bad('backup', `${words}, ${days} days ago.`, todo);
  if (days >= 2) return warn('backup', `${words}, ${days} days ago.`, todo);
  return good('backup', `${words}.`);
}

export function judgeOrphans(orphans: Observation<Orphans>): Check {
  const name = 'orphans';
  if ('fault' in orphans) return unknown(name, `The quarantine cannot be read: ${orphans.fault}.`, 'See database.');
  const { hold, orphans: found } = orphans.value;
  if (hold !== null)
    return bad(
      name,
      `The sweep is on hold: ${hold}`,
      'Put the newer database back, or confirm this one with "berth admin orphans --accept".',
    );
  const undecided = found.filter(({ isAdopted }) => !isAdopted).length;
  if (undecided === 0) return good(name, 'The database has a row for every deployment on the engine.');
  return warn(
    name,
    `The database lacks ${undecided === 1 ? '1 deployment that is' : `${undecided} deployments that are`} on the engine.`,
    'See "berth admin orphans": they are stopped, and removed later unless you adopt them.',
  );
}

/** `undefined`: the database has never been used by a service. */
export function judgeDatabase(place: string, tookMs: Observation<number | undefined>): Check {
  if ('fault' in tookMs)
    return bad(
      'database',
      `${place} cannot be used: ${tookMs.fault}.`,
      'This command must reach it as the user of the service and with its settings.',
    );
  if (tookMs.value === undefined)
    return bad(
      'database',
      `No service was ever started on ${place}.`,
      'Start the service, or set BERTH_DATA_DIR as for it.',
    );
  const words = `${place} answers in ${Math.ceil(tookMs.value)} ms.`;
  return tookMs.value < 1_000
    ? good('database', words)
    : warn('database', words, 'Every request waits for it: move it closer, or reduce its load.');
}

/** `undefined`: no mail server is set. `isSent`: a mail was sent to who was named. */
export type ObservedMail = { server: string; answer: Observation<{ isSent: boolean }> } | undefined;

export function judgeMail(mail: ObservedMail): Check {
  if (!mail)
    return warn(
      'mail',
      'No mail server is set: the service cannot verify addresses, reset passwords, or warn about expiring certificates.',
      'Set BERTH_SMTP_URL and BERTH_MAIL_FROM.',
    );
  if ('fault' in mail.answer)
    return bad(
      'mail',
      `${mail.server} does not take mail: ${mail.answer.fault}.`,
      'Correct BERTH_SMTP_URL: the address, the port (587 or 465), the login.',
    );
  return good(
    'mail',
    mail.answer.value.isSent
      ? `${mail.server} has taken a mail.`
      : `${mail.server} takes connections, and the login; no mail was sent (--send-to ADDRESS sends one).`,
  );
}

/** `to`: whom the service writes to about its certificates. */
export function judgeOperatorMail(to: string | undefined, hasMail: boolean): Check {
  const name = 'operator-mail';
  if (hasMail && to !== undefined)
    return good(name, `${to} is written to when a certificate fails or is about to end.`);
  return warn(
    name,
    'No one receives an email when a certificate fails or is about to expire.',
    'Set BERTH_SMTP_URL and BERTH_OPERATOR_MAIL, or watch berth_certificates and /readyz.',
  );
}

export type Openness = {
  isPublic: boolean;
  isHttps: boolean;
  proofOfWork: 'off' | 'auto' | 'always';
  signUp: 'open' | 'closed';
  hasMail: boolean;
  /** The domain that applications and the API are both of. */
  sharedDomain: string | undefined;
  hasTerms: boolean;
};

export function judgeOpenness(seen: Openness): Check[] {
  const { isPublic, isHttps, proofOfWork, signUp, hasMail, sharedDomain, hasTerms } = seen;
  const isGuarded = proofOfWork !== 'off';
  return [
    sharedDomain === undefined
      ? good('domains', 'Applications and the API have different registrable domains.')
      : bad(
          'domains',
          `Applications and the API are both of ${sharedDomain}: a page can set cookies of the dashboard.`,
          'Give applications a domain of their own in BERTH_APPS_DOMAIN.',
        ),
    isHttps
      ? good('https', 'The base address is https.')
      : isPublic
        ? bad(
            'https',
            'The base address is http: tokens and passwords cross the internet in the clear.',
            'Set a BERTH_BASE_URL with https, and certificates or an authority (docs/guides/get-certificates.md).',
          )
        : unknown('https', 'The base address is for this machine alone.'),
    isGuarded || !isPublic
      ? good(
          'strangers',
          isGuarded ? 'Starts without an account require a proof of work.' : 'The service is not public.',
        )
      : warn(
          'strangers',
          'Starts without an account require no proof of work.',
          'Set BERTH_POW=auto, and look at BERTH_STRANGERS.',
        ),
    signUp === 'open' && !hasMail && isPublic
      ? warn(
          'sign-up',
          'Every visitor can create an account with an unverified address.',
          'Set BERTH_SMTP_URL, or BERTH_SIGN_UP=closed.',
        )
      : good(
          'sign-up',
          signUp === 'closed'
            ? 'Sign-up is closed: only existing accounts can sign in.'
            : `Anybody ${hasMail ? 'can make an account, and has to verify the address' : 'everyone who reaches this machine can create an account'}.`,
        ),
    ...(hasTerms || !isPublic
      ? []
      : [warn('terms', 'The terms of use are not set.', 'Set BERTH_TERMS to their address.')]),
  ];
}
