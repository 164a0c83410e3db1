/** The context of `berth up`, in addition to that of every command. */
import type { Context } from '../commands/command.ts';

export type UpContext = Context & {
  /** The project's, absolute. */
  folder: string;
  /** Prompts on a terminal. Undefined without a terminal or an answer. */
  ask(question: string, asking: { isSecret: boolean }): Promise<string | undefined>;
};
