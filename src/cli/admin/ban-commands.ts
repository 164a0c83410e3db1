/** `berth admin bans`, `ban` and `unban`. */
import { actorOf } from '../../admin/actor.ts';
import { describeAffected } from '../../admin/affected.ts';
import { type Banned, ban, effectOfBan, listBans, unban } from '../../admin/ban-and-unban.ts';
import { renderTable } from '../render.ts';
import { type Answer, type Command, done, refused } from './admin-command.ts';
import { approvalHelp, approvalOptions, withoutApproval } from './approval.ts';

export const bansCommand: Command = {
  words: [],
  help: 'lists the banned addresses, accounts, and images',
  async run(db) {
    const bans = await listBans(db);
    const rows = bans.map(({ kind, subject, since, reason }) => [kind, subject, since, reason]);
    return done(renderTable(['KIND', 'SUBJECT', 'SINCE', 'REASON'], rows), { bans });
  },
};

export const banCommand: Command = {
  words: ['KIND', 'SUBJECT', 'REASON'],
  help: 'accepts nothing more from an address (or network), an account (its e-mail), or of an image (miner/*), and stops what runs',
  further: approvalOptions,
  more: approvalHelp,
  async run(db, [kind = '', subject = '', reason = ''], _, __, options, streams) {
    const requested = { kind, subject, now: Date.now() };
    const effect = await effectOfBan(db, requested);
    if (effect.kind !== 'effect') return refusedBan(effect, requested);
    const { affected } = effect;
    const words = `ban ${kind} ${effect.subject} and stop ${describeAffected(affected)}, with the data`;
    const value = { kind, subject: effect.subject, affected };
    const answer = await withoutApproval({ words, deployments: affected.deployments, value }, options, streams);
    if (answer) return answer;
    const banned = await ban(db, { ...requested, reason, actor: actorOf(process.env) });
    if (banned.kind !== 'banned') return refusedBan(banned, requested);
    const stopped = banned.stopped.map((id) => `  ${id}\n`).join('');
    return done(
      `${kind} ${banned.subject} is banned; deployments stopped: ${banned.stopped.length}\n${stopped}`,
      banned,
    );
  },
};

function refusedBan(
  why: Exclude<Banned, { kind: 'banned' }>,
  { kind, subject }: { kind: string; subject: string },
): Answer {
  if (why.kind === 'no-kind') return refused(`KIND is one of ${why.kinds.join(', ')}.`);
  if (why.kind === 'no-account') return refused(`No account has the address ${subject}.`);
  return refused(`${subject} is not a valid ${kind === 'image' ? 'image' : 'address'}.`);
}

export const unbanCommand: Command = {
  words: ['KIND', 'SUBJECT'],
  help: 'ends a ban; stopped deployments stay stopped',
  async run(db, [kind = '', subject = '']) {
    const isEnded = await unban(db, { kind, subject, actor: actorOf(process.env), now: Date.now() });
    if (!isEnded) return refused(`No ban exists for ${kind} ${subject}; \`berth admin bans\` lists them.`);
    return done(`${kind} ${subject} is no longer banned\n`, { kind, subject });
  },
};
