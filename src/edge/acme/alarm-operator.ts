/** Mails certificate alarms to the operator and records what was sent. */
import type { Instant } from '../../deployment/deployment.ts';
import type { TellOperator } from '../../lib/operator-mail.ts';
import { type CertificateState, noteTold } from '../../store/certificates.ts';
import type { Database } from '../../store/database.ts';
import type { EdgeLog } from '../edge-settings.ts';
import { type Alarm, certificateAlarms } from './certificate-alarm.ts';
import type { WantedCertificate } from './certificate-plan.ts';

/** Of a kind; hosts that come in between stand in the next one. Also how long a mail server that took none is left alone. */
const betweenMailsMs = 3_600_000;

export type AlarmParts = {
  db: Database;
  now: () => Instant;
  log: EdgeLog;
  /** The name of the installation. */
  service: string;
  tell: TellOperator;
};

export function createAlarm({ db, now, log, service, tell }: AlarmParts) {
  const lastAt = new Map<Alarm['kind'], Instant>();
  return async (wanted: readonly WantedCertificate[], states: readonly CertificateState[]): Promise<void> => {
    for (const { kind, hosts, subject, text } of certificateAlarms(wanted, states, { now: now(), service })) {
      if (now() - (lastAt.get(kind) ?? Number.NEGATIVE_INFINITY) < betweenMailsMs) continue;
      lastAt.set(kind, now());
      try {
        await tell({ subject, text });
        await noteTold(db, hosts, kind);
      } catch (error) {
        // The server's answer may hold the address.
        log.warn(
          { reason: (error as NodeJS.ErrnoException).code },
          'the email about certificates to the operator could not be sent',
        );
      }
    }
  };
}
