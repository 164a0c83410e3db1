/** One call of a webhook: signed, through the guarded dialer, bounded in time. */
import { DialFault } from '../images/dialer/dial-fault.ts';
import { dialWords } from '../images/dialer/dial-words.ts';
import type { Dialer } from '../images/dialer/dialer.ts';
import { signatureHeader, signWebhook } from '../lib/webhook-signature.ts';

const mostMs = 15_000;

export type WebhookCall = {
  url: string;
  secret: string;
  /** The same for each try, so that receivers can recognize duplicates. */
  id: string;
  body: string;
  nowMs: number;
  /** Hosts that the operator vouches for. */
  mayAskListed?: boolean;
  signal: AbortSignal;
};

/** `answer`: what came of it, in words. */
export type Called = { isTaken: boolean; answer: string };

/** Any status from 200 to 299 takes it. Of the answer nothing else is read. Throws where `signal` ends it. */
export async function callWebhook(dialer: Dialer, call: WebhookCall): Promise<Called> {
  const { url, secret, id, body, nowMs, mayAskListed = false } = call;
  const late = AbortSignal.timeout(mostMs);
  try {
    const { status, body: answer } = await dialer.ask(new URL(url), {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        [signatureHeader.toLowerCase()]: signWebhook(secret, body, Math.floor(nowMs / 1000)),
        'berth-notification': id,
      },
      mayAskListed,
      signal: AbortSignal.any([late, call.signal]),
    });
    answer.destroy();
    const isTaken = status >= 200 && status < 300;
    const redirects = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    return { isTaken, answer: `The address answered with status ${status}${redirects}.` };
  } catch (error) {
    call.signal.throwIfAborted();
    if (late.aborted) return { isTaken: false, answer: 'The address takes too long to answer.' };
    if (!(error instanceof DialFault) || error.kind === 'too-long') throw error;
    return { isTaken: false, answer: `${error.host} ${dialWords[error.kind]}.` };
  }
}
