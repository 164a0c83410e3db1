/** What `berth up` works with beside what every command has. */
import type { Context } from '../commands/command.ts';

export type UpContext = Context & {
  /** The project's, absolute. */
  folder: string;
  /** Asks on a terminal; undefined where nobody can be asked, or nobody answers. */
  ask(question: string, asking: { isSecret: boolean }): Promise<string | undefined>;
};
