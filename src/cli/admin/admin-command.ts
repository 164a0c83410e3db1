/** The parts of one operator command. */
import type { openStore } from '../../admin/open-store.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Streams } from '../terminal.ts';

type Store = NonNullable<Awaited<ReturnType<typeof openStore>>>;

/** The same twice: text for people, a value for scripts. */
export type Answer = { status: number; text: string; value: unknown };

/** The given options of the command. */
export type GivenOptions = Readonly<Record<string, string | boolean | undefined>>;

export type Command = StoreCommand | (CommandWords & WithoutStore);

export type StoreCommand = CommandWords & OnStore;

type CommandWords = {
  /** The words after the command's name, each once. */
  words: readonly string[];
  help: string;
  /** The command's own options: the name of the value, or an empty text for a flag. */
  options?: Readonly<Record<string, string>>;
  /** Additional options, only shown by `more`. */
  further?: Readonly<Record<string, string>>;
  /** The command also works on a database that is locked by a move of the installation. */
  takesMovedStore?: true;
  /** Additional text of `--help`. */
  more?: string;
};

type OnStore = {
  /** `note`: prints how far it is, for people who wait. */
  run: (
    db: Store,
    given: readonly string[],
    settings: Settings,
    note: (line: string) => void,
    options: GivenOptions,
    streams: Streams,
  ) => Promise<Answer>;
};

/** A command that works before the installation exists. */
type WithoutStore = {
  runWithoutStore: (
    settings: Settings,
    note: (line: string) => void,
    options: GivenOptions,
    streams: Streams,
  ) => Promise<Answer>;
};

/** Exit statuses: done, refused, or not possible (arguments, settings, database). */
export const statuses = { done: 0, refused: 1, unusable: 2 } as const;

export function done(text: string, value: unknown): Answer {
  return { status: statuses.done, text, value };
}

export function refused(error: string): Answer {
  return { status: statuses.refused, text: `${error}\n`, value: { error } };
}
