/** PURE. How a webhook proves that it comes from here: an HMAC over its time and its body, with the secret of its owner. */
import { createHmac } from 'node:crypto';

export const signatureHeader = 'Berth-Signature';

/** `t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over "<t>.<body>">`. */
export function signWebhook(secret: string, body: string, seconds: number): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
