/** The connection to the operator's mail server. */
import { createTransport, type Transporter } from 'nodemailer';

export type MailSettings = { smtpUrl: URL; mailFrom: string };

const patienceMs = 10_000;

/** Connects on first use. Each step has a time limit. */
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

/** Resolves when the server has taken it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>;

export function sendingMail({ smtpUrl, mailFrom }: MailSettings): SendMail {
  const transport = mailTransport({ smtpUrl });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from: mailFrom, to: { name: '', address: to }, subject, text });
  };
}

/** The mail server's reason for a refused mail, without its text, which may contain the address. */
export function mailRefusal(error: unknown): { reason: string | undefined; responseCode: number; isForGood: boolean } {
  const { code: reason, responseCode = 0 } = error as NodeJS.ErrnoException & { responseCode?: number };
  // A refused login must be fixed by the operator, and says nothing about the mail.
  return { reason, responseCode, isForGood: responseCode >= 500 && reason !== 'EAUTH' };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Mails to the operator of the installation. */

/** Rejects if the mail server refuses the mail. */
export type MailOperator = (mail: { subject: string; text: string }) => Promise<void>;

export function operatorMail(settings: MailSettings & { to: string }): MailOperator {
  const transport = mailTransport(settings);
  return async ({ subject, text }) => {
    await transport.sendMail({ from: settings.mailFrom, to: { name: '', address: settings.to }, subject, text });
  };
}
