/** Lists the files that differ from a commit. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Paths from `root` that differ from the last commit shared with `since`, including uncommitted and new files. A deleted
 * file is left out. Rejects if git does not know `since`.
 */
export async function changedFiles(root: string, since: string): Promise<string[]> {
  const git = async (...words: string[]) => (await run('git', words, { cwd: root })).stdout.split('\n').filter(Boolean);
  const [base] = await git('merge-base', '--end-of-options', since, 'HEAD');
  const changed = await git('diff', '--name-only', '--no-renames', '--diff-filter=d', base!, '--');
  const added = await git('ls-files', '--others', '--exclude-standard');
  return [...changed, ...added];
}
