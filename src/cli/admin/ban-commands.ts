/** `berth admin bans`, `ban` and `unban`. */
import { actorOf } from '../../admin/actor.ts';
import { ban, listBans, unban } from '../../admin/ban-and-unban.ts';
import { renderTable } from '../render.ts';
import { type Command, done, refused } from './admin-command.ts';

export const bansCommand: Command = {
  words: [],
  help: 'from whom and of what nothing is deployed here',
  async run(db) {
    const bans = await listBans(db);
    const rows = bans.map(({ kind, subject, since, reason }) => [kind, subject, since, reason]);
    return done(renderTable(['KIND', 'SUBJECT', 'SINCE', 'REASON'], rows), { bans });
  },
};

export const banCommand: Command = {
  words: ['KIND', 'SUBJECT', 'REASON'],
  help: 'takes nothing any more from an address (or network), an account (its e-mail), or of an image (miner/*), and stops what runs',
  async run(db, [kind = '', subject = '', reason = '']) {
    const banned = await ban(db, { kind, subject, reason, actor: actorOf(process.env), now: Date.now() });
    if (banned.kind === 'no-kind') return refused(`KIND is one of ${banned.kinds.join(', ')}.`);
    if (banned.kind === 'no-account') return refused(`There is no account with the address ${subject}.`);
    if (banned.kind === 'no-subject') return refused(`${subject} is no ${kind === 'image' ? 'image' : 'address'}.`);
    const stopped = banned.stopped.map((id) => `  ${id}\n`).join('');
    return done(
      `${kind} ${banned.subject} is banned; deployments stopped: ${banned.stopped.length}\n${stopped}`,
      banned,
    );
  },
};

export const unbanCommand: Command = {
  words: ['KIND', 'SUBJECT'],
  help: 'ends a ban; what was stopped stays stopped',
  async run(db, [kind = '', subject = '']) {
    const isEnded = await unban(db, { kind, subject, actor: actorOf(process.env), now: Date.now() });
    if (!isEnded) return refused(`There is no ban of ${kind} ${subject}; \`berth admin bans\` lists them.`);
    return done(`${kind} ${subject} is not banned any more\n`, { kind, subject });
  },
};
