/** `kubectl` of the operator's own machine, on the cluster of the current context. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SetUpError } from '../setup/announce.ts';
import { findProgram } from '../setup/commands.ts';

/** The namespace of Berth's manifests. */
export const berthNamespace = 'berth-system';

export type Context = { name: string; server: string };

/** Throws SetUpError with what to do. */
export async function currentContext(): Promise<Context> {
  if (!(await findProgram('kubectl')))
    throw new SetUpError('kubectl is not installed: https://kubernetes.io/docs/tasks/tools/ says how to get it.');
  const name = await kubectl('config', 'current-context').catch(() => {
    throw new SetUpError(
      'kubectl has no current context: set KUBECONFIG to the file of your cluster, or choose one with `kubectl config use-context NAME`.',
    );
  });
  const server = await kubectl('config', 'view', '--minify', '--output=jsonpath={.clusters[0].cluster.server}');
  await kubectl('get', '--raw', '/version', '--request-timeout=20s').catch((error: Error) => {
    throw new SetUpError(`The cluster of the context ${name} (${server}) does not answer: ${error.message}`);
  });
  return { name, server };
}

/** The output of kubectl. Throws with kubectl's message. */
export function kubectl(...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('kubectl', words, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout.trim());
    });
  });
}

/** Shows the output on the terminal as it arrives. Returns whether kubectl succeeded. */
export async function showKubectl(...words: string[]): Promise<boolean> {
  const [code] = await once(spawn('kubectl', words, { stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
  return code === 0;
}

export async function kubectlJson<T>(...words: string[]): Promise<T> {
  return JSON.parse(await kubectl(...words, '--output=json')) as T;
}
