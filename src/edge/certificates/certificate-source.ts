/** Where the edge has its certificates from. */
import type { EdgeLog } from '../edge-settings.ts';
import type { Edge } from '../haproxy/haproxy.ts';
import type { NamedCertificate } from '../haproxy/served-certificates.ts';

export type CertificateSource = {
  /** The certificates that HAProxy starts with. */
  served: readonly NamedCertificate[];
  /**
   * Keeps the edge's certificates equal to the source until it is closed. `answers`: resolves when the service behind
   * the edge answers requests, including those of an authority.
   */
  follow(edge: Pick<Edge, 'certify'>, log: EdgeLog, answers: Promise<void>): AsyncDisposable;
};
