/** The user at the terminal. */
import { userInfo } from 'node:os';

/** Returns the user of this machine. With `sudo`, the user who called it. */
export function actorOf(env: Record<string, string | undefined>): string {
  return env.SUDO_USER || userInfo().username;
}
