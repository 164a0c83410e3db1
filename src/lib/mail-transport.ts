/** The connection to the operator's mail server. */
import { createTransport, type Transporter } from 'nodemailer';

export type MailSettings = { smtpUrl: URL; mailFrom: string };

const patienceMs = 10_000;

/** Nothing is sent before it is used, and each step of that is bounded. */
export function mailTransport({ smtpUrl }: Pick<MailSettings, 'smtpUrl'>): Transporter {
  return createTransport({
    url: smtpUrl.href,
    // A password is never sent in the clear, except on this machine.
    requireTLS: smtpUrl.username !== '' && !isLoopback(smtpUrl.hostname),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
