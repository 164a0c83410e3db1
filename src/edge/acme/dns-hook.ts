/**
 * The operator's command that sets and removes DNS records: `<command> set|remove <name> <value>`. It exits when every
 * server of the zone answers with the record. It is separate from the service: it gets none of the service's secrets,
 * its output is discarded (it may contain its own), and it is killed with all its children after a time limit.
 */
import { spawn } from 'node:child_process';
import { programPath } from '../../lib/program-path.ts';

export type DnsRecord = { name: string; value: string };

export type DnsHook = (action: 'set' | 'remove', record: DnsRecord, signal: AbortSignal) => Promise<void>;

/** Rejects with words for the operator, without output of the command. */
export function dnsHook(command: readonly [string, ...string[]], { limitMs }: { limitMs: number }): DnsHook {
  const [program, ...words] = command;
  return (action, { name, value }, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('BERTH_ACME_DNS was not started: the service stops'));
      // `detached`: its own process group, so that its children end with it.
      const child = spawn(program, [...words, action, name, value], {
        env: { PATH: programPath(process.env.PATH), ...(process.env.HOME && { HOME: process.env.HOME }) },
        cwd: '/',
        stdio: 'ignore',
        detached: true,
      });
      let ending: string | undefined;
      const end = (because: string) => {
        ending = because;
        if (child.pid) endGroup(child.pid);
      };
      const timer = setTimeout(() => end(`took longer than ${limitMs / 1000} s, and was ended`), limitMs);
      const stop = () => end('was ended: the service stops');
      signal.addEventListener('abort', stop, { once: true });
      const settle = (because: string | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        if (child.pid) endGroup(child.pid);
        if (because === undefined) resolve();
        else reject(new Error(`BERTH_ACME_DNS (${action} ${name}) ${because}`));
      };
      child.once('error', (error: NodeJS.ErrnoException) => settle(`cannot be started: ${error.code}`));
      child.once('exit', (code, killedBy) => {
        if (code === 0 && !ending) return settle(undefined);
        settle(ending ?? (code === null ? `was ended by ${killedBy}` : `ended with ${code}`));
      });
    });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
