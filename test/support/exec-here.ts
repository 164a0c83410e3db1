/** Commands as in a container, but of this machine: for what runs there, closes its outputs, reads and ends as it likes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Exec, ExecOutput } from '../../src/engine/exec.ts';

/** `path`: where programs are looked for first. */
export function execHere(path = ''): Exec {
  return {
    async start(_workload, { command: [program, ...given] }) {
      const child = spawn(program!, given, { env: { ...process.env, PATH: `${path}:${process.env.PATH}` } });
      const exited = once(child, 'exit');
      // As through an engine: what a program that has ended is given is lost.
      child.stdin.on('error', () => {});
      const output = async function* (): AsyncGenerator<ExecOutput> {
        try {
          for await (const bytes of child.stdout) yield { from: 'stdout', bytes };
          for await (const bytes of child.stderr) yield { from: 'stderr', bytes };
        } catch {
          // It was disposed of.
        }
      };
      return {
        output: output(),
        async write(bytes) {
          const { stdin } = child;
          if (stdin.writable && !stdin.write(bytes))
            await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]).catch(() => {});
          return stdin.writable;
        },
        endInput: () => void child.stdin.end(),
        async resize() {},
        exitCode: async () => ((await exited)[0] as number | null) ?? undefined,
        async [Symbol.asyncDispose]() {
          child.kill('SIGKILL');
          child.stdout.destroy();
          child.stderr.destroy();
          await exited;
        },
      };
    },
  };
}
