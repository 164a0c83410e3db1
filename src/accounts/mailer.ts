/**
 * Mails to users: one verifies an address, one sets a new password. They are plain text and contain no text of other
 * users.
 */
import type { Logger } from 'pino';
import { type MailSettings, mailTransport } from '../lib/mail-transport.ts';
import { createLimiter } from '../lib/rate-limit.ts';

export type Mailer = {
  sendVerification: (to: string, link: string) => Promise<void>;
  /** For the owner of an address that was used to sign up again. */
  sendKnownAddress: (to: string, link: string) => Promise<void>;
  sendPasswordReset: (to: string, link: string) => Promise<void>;
  /** Sends a mail to the new address of an account. */
  sendChangeOfAddress: (to: string, link: string) => Promise<void>;
  /** Sends a mail to the current address. */
  sendAddressChanges: (to: string, link: string) => Promise<void>;
};

/** Clients choose the recipient of a mail, and may request mails from any address. A person needs one, or two. */
const recipientRate = { count: 5, windowMs: 60 * 60_000 };

/** A failed mail is only logged, because its recipient can request another one. */
export function createMailer({ smtpUrl, mailFrom }: MailSettings, log: Logger): Mailer {
  const transport = mailTransport({ smtpUrl });
  const requested = createLimiter(recipientRate);
  // Separate from the limit of other mails. Otherwise an attacker could use that limit up before the owner is warned.
  const warnings = createLimiter(recipientRate);
  const send = async (to: string, subject: string, text: string, limiter = requested) => {
    if (!limiter.take(to.toLowerCase(), performance.now()).isAllowed) {
      log.warn('a mail was not sent: hourly mail limit reached for this recipient');
      return;
    }
    try {
      await transport.sendMail({ from: mailFrom, to: { name: '', address: to }, subject, text });
    } catch (error) {
      // The server's response may contain the address.
      log.error({ reason: (error as NodeJS.ErrnoException).code }, 'a mail could not be sent');
    }
  };
  return {
    sendVerification: (to, link) =>
      send(
        to,
        'Confirm your address',
        `An account was created with this address. If you created it, open this link within an hour:\n\n${link}\n\n` +
          'If it was not, do nothing: the account cannot be used.\n',
      ),
    sendKnownAddress: (to, link) =>
      send(
        to,
        'You already have an account',
        `A sign-up used this address, which already has an account. If it was you, sign in, or set a new ` +
          `password:\n\n${link}\n\nIf it was not, do nothing.\n`,
      ),
    sendPasswordReset: (to, link) =>
      send(
        to,
        'Set a new password',
        `A new password was requested for the account with this address. If it was you, open this link ` +
          `within an hour:\n\n${link}\n\nIf it was not, do nothing: the password stays as it is.\n`,
      ),
    sendChangeOfAddress: (to, link) =>
      send(
        to,
        'Confirm your new address',
        `A change of address requests this address for an account. If it was you, open this link within an hour, in a browser ` +
          `that is signed in:\n\n${link}\n\nIf it was not, do nothing: the account keeps its address.\n`,
      ),
    sendAddressChanges: (to, link) =>
      send(
        to,
        'The address of your account is about to change',
        `A signed-in user of your account requested a change of its address. If it was not you, sign in ` +
          `now, sign out all other browsers and change the password, if the account has one:\n\n${link}\n`,
        warnings,
      ),
  };
}
