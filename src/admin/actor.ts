/** The user at the terminal. */
import { userInfo } from 'node:os';

/** The user of this machine; behind `sudo`, the one who called it. */
export function actorOf(env: Record<string, string | undefined>): string {
  return env.SUDO_USER || userInfo().username;
}
