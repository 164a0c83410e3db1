/** `berth admin accounts` and `berth admin plan`. */

import { changePlan, listAccounts } from '../../admin/account-plans.ts';
import { actorOf } from '../../admin/actor.ts';
import { printBytes } from '../../config/values/units.ts';
import { renderTable } from '../render.ts';
import { type Command, done, refused } from './admin-command.ts';

export const accountsCommand: Command = {
  words: [],
  help: 'lists the accounts with their plans and use',
  async run(db, _, { tiers }) {
    const accounts = await listAccounts(db, tiers, Date.now());
    const rows = accounts.map(({ email, name, isEmailVerified, tier, deployments, memoryBytes, createdAt }) => [
      ...[email, name, isEmailVerified ? 'yes' : 'no', tier],
      ...[String(deployments), printBytes(memoryBytes), createdAt],
    ]);
    const head = ['E-MAIL', 'NAME', 'VERIFIED', 'PLAN', 'DEPLOYMENTS', 'MEMORY', 'SINCE'];
    return done(renderTable(head, rows), { accounts });
  },
};

export const planCommand: Command = {
  words: ['EMAIL', 'TIER'],
  help: 'gives an account another plan; its deployments get that plan’s lifetime from now on',
  async run(db, [email = '', tier = ''], { tiers }) {
    const change = await changePlan(db, { email, tier, tiers, actor: actorOf(process.env), now: Date.now() });
    switch (change.kind) {
      case 'changed':
        return done(
          `${email} has the plan ${change.to} instead of ${change.from}; deployments changed: ${change.deployments}\n` +
            warningOf(email, change.isEmailVerified),
          change,
        );
      case 'unchanged':
        return done(`${email} has the plan ${change.to} already\n${warningOf(email, change.isEmailVerified)}`, change);
      case 'no-account':
        return refused(`No account has the address ${email}.`);
      case 'no-tier':
        return refused(`The plan does not exist: "${tier}"; BERTH_TIERS has: ${change.names.join(', ')}.`);
    }
  },
};

/** Any user can sign up with an address, but only its owner can verify it. */
function warningOf(email: string, isEmailVerified: boolean): string {
  if (isEmailVerified) return '';
  return `Warning: the address ${email} is not verified. The account may belong to another person than you expect.\n`;
}
