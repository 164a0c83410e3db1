/** The folder for a user's own files of this command: outside of projects, and readable only by the user. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Env = Record<string, string | undefined>;

/** XDG: a path that is not absolute is as none. */
export function ownFolder({ XDG_CONFIG_HOME: given, HOME }: Env): string {
  return join(given && isAbsolute(given) ? given : join(HOME || homedir(), '.config'), 'berth');
}
