/** The command `berth` where the service is installed: with what an operator does on its database. */
import { runProcess } from './process.ts';

await runProcess(async (words) => {
  // Here, not at the top: nothing else needs a database, and loading one takes longer than checking a file.
  const { admin } = await import('./admin/berth-admin.ts');
  return await admin(words, process);
});
