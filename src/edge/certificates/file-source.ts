/** Certificates of the operator's files, as a source of the edge. */
import type { Instant } from '../../deployment/deployment.ts';
import type { NoteCertificates } from '../../lib/certificate-report.ts';
import type { TellOperator } from '../../lib/operator-mail.ts';
import { StartError } from '../../lib/start-error.ts';
import type { EdgeLog } from '../edge-settings.ts';
import type { Edge } from '../haproxy/haproxy.ts';
import {
  type CertificateFiles,
  type FileCertificate,
  followCertificateFiles,
  readCertificateFiles,
} from './certificate-files.ts';
import type { CertificateSource } from './certificate-source.ts';

/** Throws StartError when the files cannot be served. */
export async function openFileSource(
  { files, hosts }: { files: readonly CertificateFiles[]; hosts: readonly string[] },
  { now, note, tellOperator }: { now: () => Instant; note: NoteCertificates; tellOperator?: TellOperator | undefined },
): Promise<CertificateSource> {
  const source = { files, hosts, now };
  const read = await readCertificateFiles(source);
  if (!read.ok) throw new StartError(`BERTH_TLS_CERTIFICATE: ${read.because}`);
  const { certificates: served } = read;
  // The operator has chosen how they are renewed, and that is not seen from here.
  const tell = (served: readonly FileCertificate[]) =>
    note({ served, missing: 0, failing: 0, isReady: true, isRenewed: true, waiting: new Map() });
  tell(served);
  return {
    served,
    follow(edge: Pick<Edge, 'certify'>, log: EdgeLog): AsyncDisposable {
      const alarm = async ({ expiresAt }: FileCertificate) => {
        await tellOperator?.(endingMail(hosts, expiresAt)).catch((error: NodeJS.ErrnoException) => {
          log.warn({ reason: error.code }, 'the email about certificates to the operator could not be sent');
        });
      };
      const put = (certificates: FileCertificate[]) => edge.certify(certificates).then(() => tell(certificates));
      return followCertificateFiles({ ...source, served, alarm }, put, log);
    },
  };
}

function endingMail(hosts: readonly string[], expiresAt: Instant): { subject: string; text: string } {
  const end = new Date(expiresAt).toISOString();
  return {
    subject: `A certificate of ${hosts[0]} is about to end`,
    text: `A certificate for ${hosts.join(' or ')} ends at ${end}, and its files (BERTH_TLS_CERTIFICATE) are not renewed.\n`,
  };
}
