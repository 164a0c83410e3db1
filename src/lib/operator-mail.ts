/** Mails to the operator of the installation. */
import { type MailSettings, mailTransport } from './mail-transport.ts';

/** Rejects when the mail server does not take it. */
export type TellOperator = (mail: { subject: string; text: string }) => Promise<void>;

export function operatorMail(settings: MailSettings & { to: string }): TellOperator {
  const transport = mailTransport(settings);
  return async ({ subject, text }) => {
    await transport.sendMail({ from: settings.mailFrom, to: { name: '', address: settings.to }, subject, text });
  };
}
