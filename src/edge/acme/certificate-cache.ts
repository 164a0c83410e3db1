/** The served certificates of the store. Each is read and opened once. */
import type { Kysely } from 'kysely';
import type { Instant } from '../../deployment/deployment.ts';
import type { Seal } from '../../lib/seal.ts';
import { type CertificateState, deleteCertificates, sealedCertificates } from '../../store/certificates.ts';
import type { Tables } from '../../store/rows.ts';
import type { NamedCertificate } from '../haproxy/served-certificates.ts';
import { isServed } from './certificate-plan.ts';

export type CertificateCache = {
  certificates(): NamedCertificate[];
  /** Reads the certificates that these rows define. */
  read(states: readonly CertificateState[], now: Instant): Promise<void>;
  /** Passes the certificates on if they have changed, or if the last call failed. */
  put(take: (certificates: NamedCertificate[]) => Promise<void>): Promise<void>;
};

/** @param first is always served, before all others. */
export function createCertificateCache({
  db,
  seal,
  first,
}: {
  db: Kysely<Tables>;
  seal: Seal;
  first: NamedCertificate;
}): CertificateCache {
  let cache = new Map<string, { issuedAt: Instant; certificate: NamedCertificate }>();
  let isPut = true;
  const certificates = () => [first, ...Array.from(cache.values(), ({ certificate }) => certificate)];

  /** A certificate that no key unseals is dropped and ordered again. */
  async function open(hosts: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let at = 0; at < hosts.length; at += readAtOnce)
      for (const { host, pem } of await sealedCertificates(db, hosts.slice(at, at + readAtOnce)))
        try {
          found.set(host, seal.open(pem));
        } catch {
          await deleteCertificates(db, [host]);
        }
    return found;
  }

  return {
    certificates,
    async read(states, now) {
      const served = states.filter((state) => isServed(state, now));
      const isKnown = ({ host, issuedAt }: CertificateState) => cache.get(host)?.issuedAt === issuedAt;
      if (served.length === cache.size && served.every(isKnown)) return;
      const opened = await open(served.filter((state) => !isKnown(state)).map(({ host }) => host));
      const next: typeof cache = new Map();
      for (const state of served) {
        const { host } = state;
        const pem = opened.get(host);
        if (isKnown(state)) next.set(host, cache.get(host)!);
        else if (pem !== undefined)
          next.set(host, { issuedAt: state.issuedAt!, certificate: { name: host.replace('*', 'any'), host, pem } });
      }
      cache = next;
      isPut = false;
    },
    async put(take) {
      if (isPut) return;
      const taken = cache;
      await take(certificates());
      isPut = taken === cache;
    },
  };
}

const readAtOnce = 500;
