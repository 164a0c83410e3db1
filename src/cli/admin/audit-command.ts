/** `berth admin audit`. */
import { listAudit } from '../../admin/list-audit.ts';
import { renderTable } from '../render.ts';
import { type Command, done } from './admin-command.ts';

export const auditCommand: Command = {
  words: [],
  help: 'lists the changes made with these commands, their authors and reasons',
  async run(db) {
    const entries = await listAudit(db);
    const rows = entries.map(({ at, actor, action, subject, reason }) => [at, actor, action, subject, reason]);
    return done(renderTable(['AT', 'WHO', 'WHAT', 'OF WHAT', 'WHY'], rows), { entries });
  },
};
