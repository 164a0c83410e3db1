/** A store that speaks S3 for a test: a server of its own on loopback, which checks who signs, with a folder of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { makeCertificate } from './certificate.ts';

export type S3Server = AsyncDisposable & {
  /** Its only bucket as a backup location. */
  place: string;
  /** The credentials, and the authority of the certificate. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string; SSL_CERT_FILE: string };
  /** Where it keeps what it was given. */
  folder: string;
};

export async function startS3(): Promise<S3Server> {
  const around = await mkdtemp(join(tmpdir(), 'berth-s3-'));
  const [folder, authority] = [join(around, 'objects'), join(around, 'cert.pem')];
  // Without TLS, clients sign each piece of a body, which this server does not read.
  const { key, cert } = await makeCertificate('IP:127.0.0.1');
  await writeFile(authority, cert);
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    key,
    cert,
    configureBuckets: [{ name: 'kept', configs: [] }],
  });
  const { port } = await server.run();
  return {
    place: `s3:https://127.0.0.1:${port}/kept`,
    env: { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', SSL_CERT_FILE: authority },
    folder,
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(around, { recursive: true, force: true });
    },
  };
}
