/** `berth admin doctor`. */
import type { Check } from '../../admin/doctor/check.ts';
import { type DoctorSettings, examine } from '../../admin/doctor/doctor.ts';
import type { Settings } from '../../settings/settings.ts';
import { sharedDomain } from '../../settings/shared-domain.ts';
import { accountSettings } from '../../settings/sign-in-settings.ts';
import { printable } from '../render.ts';
import { type Command, refused, statuses } from './admin-command.ts';

const more = `berth admin doctor looks at what a public installation needs: DNS, ports, certificates, the service, the clock, the disk,
the engine, the firewall, the database, backups, mail, and permissions. Run it with the variables of the service set, as
its user. It changes nothing; --send-to ADDRESS sends one mail there, to see that mails arrive.

Exit status: 0 nothing is bad, 1 something is.
`;

const marks = { good: 'ok  ', warn: 'warn', bad: 'BAD ', unknown: '?   ' } as const;

export const doctorCommand: Command = {
  words: [],
  options: { 'send-to': 'ADDRESS' },
  help: 'checks the requirements of a public installation and prints fixes',
  more,
  async runWithoutStore(settings, _note, options) {
    const sendTo = options['send-to'];
    if (sendTo !== undefined && !/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(String(sendTo)))
      return refused('--send-to must be an address of mail.');
    const reported = doctorSettings(settings);
    if (sendTo !== undefined && !reported.mail) return refused('--send-to needs BERTH_SMTP_URL and BERTH_MAIL_FROM.');
    const checks = await examine(reported, {
      now: Date.now(),
      sendTo: sendTo === undefined ? undefined : String(sendTo),
    });
    const isBad = checks.some(({ state }) => state === 'bad');
    return { status: isBad ? statuses.refused : statuses.done, text: textOf(checks), value: { checks } };
  },
};

/** Failures come last, where users read them. */
function textOf(checks: readonly Check[]): string {
  const order = { good: 0, unknown: 1, warn: 2, bad: 3 } as const;
  const sorted = checks.toSorted((a, b) => order[a.state] - order[b.state]);
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = sorted.map(({ name, state, observed, todo }) => {
    const then = todo === undefined ? '' : `\n${' '.repeat(width + 7)}→ ${printable(todo)}`;
    return `${marks[state]} ${name.padEnd(width)}  ${printable(observed)}${then}\n`;
  });
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  return `${lines.join('')}\n${count('good')} good, ${count('unknown')} unknown, ${count('warn')} to look at, ${count('bad')} bad\n`;
}

function doctorSettings(settings: Settings): DoctorSettings {
  const { acmeDirectory, dnsHook, dnsPersist, tlsCertificates, allowUnsafe, trustedProxies, termsUrl } = settings;
  const certificates = acmeDirectory
    ? dnsHook || dnsPersist
      ? 'wildcard'
      : 'one-each'
    : tlsCertificates
      ? 'files'
      : 'none';
  return {
    ...settings,
    certificates,
    isBehindProxy: trustedProxies.length > 0,
    isUnsafeAllowed: allowUnsafe.includes('firewall'),
    sharedDomain: sharedDomain(settings),
    hasTerms: termsUrl !== undefined,
    mail: accountSettings(settings).mail,
    operator: settings.operatorMail,
  };
}
