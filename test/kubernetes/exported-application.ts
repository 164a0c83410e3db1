/** The output of `berth export all`, started by plain kubectl. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { nodeFolder } from '../../scripts/testing/kube-node.ts';
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import type { Berth, Started } from '../scenarios/berth.ts';
import { processLabels, removeLeft } from './cut-off-runs.ts';
import { startProvisioner } from './provisioner.ts';

const run = promisify(execFile);
/** The kit's own, which serves every Ingress. */
const node = '10.250.0.2';
const namespacesPath = '/api/v1/namespaces';

/** kubectl is the node's own. */
const env = { ...process.env, PATH: `${join(nodeFolder, 'bin')}:${process.env.PATH}` };

/** Into a folder of its own name below `folder`, which is answered. */
export async function exportAll(berth: Berth, { applicationName, sessionToken }: Started, folder: string) {
  const to = join(folder, applicationName);
  const words = ['export', 'all', '--secrets', '--to', to, '--app', applicationName, '--token', sessionToken];
  await run(process.execPath, [join(import.meta.dirname, '../../src/cli/bin.mjs'), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin },
  }).catch((error: Error) => {
    // The service reports the reason only to its operator.
    throw new Error(`${error.message}\n${berth.log().slice(-4000)}`);
  });
  return to;
}

export type ExportedApplication = AsyncDisposable & {
  /** The output of the script. */
  said: string;
  /** The answer of its site; undefined unless it answers with 200. */
  look(path: string): Promise<string | undefined>;
};

/** In a namespace of its own, which goes with it. */
export async function startExported(cluster: Cluster, folder: string): Promise<ExportedApplication> {
  const namespace = `exported-${randomBytes(4).toString('hex')}`;
  const kubectl = (...given: string[]) => run('kubectl', given, { env });
  await using opened = new AsyncDisposableStack();
  opened.use(await startProvisioner(cluster, namespace));
  await nameClass(join(folder, 'kubernetes/volumes.yaml'), namespace);
  await removeLeft(cluster, namespacesPath);
  const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: processLabels } };
  await cluster.request('POST', namespacesPath, { body: made });
  opened.defer(async () => void (await kubectl('delete', 'namespace', namespace)));
  const { stdout } = await run('sh', ['start-kubernetes.sh', '-n', namespace], { cwd: folder, env });
  const text = await readFile(join(folder, 'kubernetes/application.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const { host } = objects.find(({ kind }) => kind === 'Ingress').spec.rules[0];
  const open = opened.move();
  return { said: stdout.trim(), look: (path) => look(host, path), [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** If a cluster has two default classes, it uses neither, and another run may have its own. */
async function nameClass(file: string, storageClassName: string): Promise<void> {
  const claims = parseAllDocuments(await readFile(file, 'utf8'));
  for (const claim of claims) claim.setIn(['spec', 'storageClassName'], storageClassName);
  await writeFile(file, claims.map(String).join(''));
}

function look(host: string, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const requested = request(`http://${node}${path}`, { headers: { host }, timeout: 5_000 }, async (answer) => {
      const pieces = await answer.toArray().catch(() => []);
      resolve(answer.statusCode === 200 ? Buffer.concat(pieces).toString() : undefined);
    });
    requested.once('timeout', () => requested.destroy()).once('error', () => resolve(undefined));
    requested.end();
  });
}
