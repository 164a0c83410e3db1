/** Where a person's own things of this command are: beside no project, and for them alone. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Env = Record<string, string | undefined>;

/** XDG: a path that is not absolute is as none. */
export function ownFolder({ XDG_CONFIG_HOME: given, HOME }: Env): string {
  return join(given && isAbsolute(given) ? given : join(HOME || homedir(), '.config'), 'berth');
}
