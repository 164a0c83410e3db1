/** A terminal of the operator: `berth admin …` on a data directory, with what it prints. */
import { Readable, Writable } from 'node:stream';
import { admin } from '../../src/cli/admin/berth-admin.ts';

export async function berthAdmin(env: Record<string, string>, ...words: string[]) {
  const output = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        output[name] += chunk;
        done();
      },
    });
  const streams = { stdin: Readable.from([]), stdout: into('stdout'), stderr: into('stderr'), env };
  const status = await admin(words, streams);
  return { status, ...output };
}
