/** HAProxy 2.6 does not start with an empty list of certificates. This one is for a name that no client requests. */
import { createPrivateKey, webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import type { NamedCertificate } from '../haproxy/served-certificates.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

type SelfSigned = Parameters<typeof X509CertificateGenerator.createSelfSigned>[0];

export async function makePlaceholder(): Promise<NamedCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=placeholder.invalid',
    notBefore: new Date(0),
    notAfter: new Date('9999-01-01'),
    signingAlgorithm: algorithm,
    // Browsers' types know fewer usages of keys.
    keys: keys as SelfSigned['keys'],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  const pem = `${certificate.toString('pem').trim()}\n${String(key.export({ type: 'pkcs8', format: 'pem' })).trim()}\n`;
  return { name: 'placeholder', pem };
}
