/** The command `berth` where the service is installed: with what an operator does on its database. */
import { runProcess } from './process.ts';

await runProcess(async (words) => {
  // Imported here, because only these commands need a database, and loading one takes longer than checking a file.
  const { admin } = await import('./admin/berth-admin.ts');
  return await admin(words, process);
});
