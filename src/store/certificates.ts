/** Certificates that an authority has issued or that are being ordered: one row per host. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import type { CertificateRow } from './rows.ts';

/** All but the certificate itself. */
export type CertificateState = Omit<CertificateRow, 'pem'>;

const stateColumns = [
  ...(['host', 'firstIssuedAt', 'issuedAt', 'expiresAt', 'renewAt', 'askAt'] as const),
  ...(['orderedAt', 'failures', 'nextTryAt', 'problem', 'told'] as const),
];

export async function certificateStates(db: Database): Promise<CertificateState[]> {
  return await db.selectFrom('certificates').select(stateColumns).orderBy('host').execute();
}

/** Returns the stored certificates of these hosts. */
export async function certificatesOf(db: Database, hosts: readonly string[]): Promise<Map<string, CertificateState>> {
  const rows = await db.selectFrom('certificates').select(stateColumns).where('host', 'in', hosts).execute();
  return new Map(rows.map((row) => [row.host, row]));
}

/** The sealed certificates of these hosts, as far as they have one. */
export async function sealedCertificates(
  db: Database,
  hosts: readonly string[],
): Promise<{ host: string; pem: Uint8Array }[]> {
  const rows = await db.selectFrom('certificates').select(['host', 'pem']).where('host', 'in', hosts).execute();
  return rows.flatMap(({ host, pem }) => (pem ? [{ host, pem }] : []));
}

/** Records a failed order before it is placed. A process that crashes during an order does not retry it immediately. */
export async function recordOrder(
  db: Database,
  { host, now, nextTryAt }: { host: string; now: Instant; nextTryAt: Instant },
): Promise<void> {
  const never = {
    pem: null,
    firstIssuedAt: null,
    issuedAt: null,
    expiresAt: null,
    renewAt: null,
    askAt: null,
    told: null,
  };
  await db
    .insertInto('certificates')
    .values({ ...never, host, orderedAt: now, failures: 1, nextTryAt, problem: null })
    .onConflict((conflict) =>
      conflict
        .column('host')
        .doUpdateSet((eb) => ({ orderedAt: now, failures: eb('certificates.failures', '+', 1), nextTryAt })),
    )
    .execute();
}

export async function recordOrderFailure(db: Database, host: string, problem: string): Promise<void> {
  await db.updateTable('certificates').set({ problem }).where('host', '=', host).execute();
}

type Issued = Pick<CertificateRow, 'host'> & {
  pem: Uint8Array;
  issuedAt: Instant;
  expiresAt: Instant;
  renewAt: Instant;
  /** When to query the authority for a new renewal time. */
  askAt: Instant | null;
};

export async function storeCertificate(db: Database, { host, ...issued }: Issued): Promise<void> {
  await db
    .updateTable('certificates')
    .set((eb) => ({
      ...issued,
      firstIssuedAt: eb.fn.coalesce('firstIssuedAt', eb.val(issued.issuedAt)),
      failures: 0,
      nextTryAt: issued.issuedAt,
      problem: null,
      told: null,
    }))
    .where('host', '=', host)
    .execute();
}

export async function recordAlert(
  db: Database,
  hosts: readonly string[],
  reported: 'failing' | 'ending',
): Promise<void> {
  await db.updateTable('certificates').set({ told: reported }).where('host', 'in', hosts).execute();
}

/** Stores the authority's answer about the renewal. */
export async function planRenewal(
  db: Database,
  { host, renewAt, askAt }: { host: string; renewAt: Instant; askAt: Instant },
): Promise<void> {
  await db.updateTable('certificates').set({ renewAt, askAt }).where('host', '=', host).execute();
}

/** Deletes certificates that are no longer used. Recently issued ones count toward the authority's limit and stay. */
export async function deleteCertificates(db: Database, hosts: readonly string[]): Promise<void> {
  await db.deleteFrom('certificates').where('host', 'in', hosts).execute();
}
