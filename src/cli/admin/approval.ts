/** Approval of commands that stop deployments or delete user data: a dry run, a question, or `--yes`. */
import { confirm } from '../asking.ts';
import type { Streams } from '../terminal.ts';
import { type Answer, done, type GivenOptions, refused } from './admin-command.ts';

/** Options of each command that needs approval. */
export const approvalOptions = { 'dry-run': '', yes: '' } as const;

/** A single "y" is enough for this many deployments; more need `--yes`. */
export const maxWithoutYesOption = 5;

/** The help text of these options. */
export const approvalHelp = `The command waits for a confirmation before it stops anything.
--dry-run     print how many deployments and accounts it would affect, and change nothing
  --yes         skip the confirmation; required if the input is not a terminal, or for more than ${maxWithoutYesOption} deployments
`;

export type Effect = {
  /** The effect of the command, without a period: `stop 3 deployments`. */
  words: string;
  deployments: number;
  /** The effect for scripts. */
  value: Readonly<Record<string, unknown>>;
};

/** Undefined if the command may proceed; otherwise its answer. */
export async function withoutApproval(
  { words, deployments, value }: Effect,
  options: GivenOptions,
  streams: Pick<Streams, 'stdin' | 'stderr'>,
): Promise<Answer | undefined> {
  if (options['dry-run'] === true)
    return done(`This would ${words}. Nothing was changed.\n`, { ...value, dryRun: true });
  if (deployments === 0 || options.yes === true) return undefined;
  const advice = 'Nothing was changed. Repeat the command with --yes to do it, or with --dry-run to see the counts.';
  if (deployments > maxWithoutYesOption) return refused(`This would ${words}. ${advice}`);
  const isApproved = await confirm(`This will ${words}. Continue?`, { streams, signal: new AbortController().signal });
  if (isApproved === undefined) return refused(`This would ${words}. ${advice}`);
  return isApproved ? undefined : refused('Nothing was changed.');
}
