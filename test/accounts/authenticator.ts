/** An authenticator made of software: makes passkeys and signs with them as WebAuthn says (ES256, no attestation). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The user is there, and has shown who they are. */
const userFlags = 0x01 | 0x04;
const hasCredential = 0x40;

/** At the page of `origin`, for the site `rpId`. */
export function createAuthenticator(origin: string, rpId: string) {
  const id = randomBytes(32);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let counter = 0;

  const clientData = (type: 'webauthn.create' | 'webauthn.get', challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = (response: object) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    register({ challenge }: { challenge: string }) {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)]);
      const data = Buffer.concat([authenticatorData(rpId, hasCredential, counter), credential]);
      const attestation = [map(3), text('fmt'), text('none'), text('attStmt'), map(0), text('authData'), bytes(data)];
      return answer({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.concat(attestation).toString('base64url'),
        transports: ['internal'],
      });
    },
    authenticate({ challenge }: { challenge: string }) {
      counter += 1;
      const data = authenticatorData(rpId, 0, counter);
      const client = clientData('webauthn.get', challenge);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      });
    },
  };
}

function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags | userFlags]), count]);
}

/** RFC 9053: key type EC2, algorithm ES256, curve P-256, the point. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
  const point = [x, y].map((part) => bytes(Buffer.from(part, 'base64url')));
  return Buffer.concat([
    map(5),
    Buffer.from([0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    point[0]!,
    Buffer.from([0x22]),
    point[1]!,
  ]);
}

/** CBOR (RFC 8949), as far as the above needs it. */
const map = (size: number) => Buffer.from([0xa0 + size]);
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);
