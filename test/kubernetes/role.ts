/**
 * The rights of Berth's service account: the role as it is deployed, and a connection to the cluster with only this
 * role.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { type Cluster, connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';

const base = join(import.meta.dirname, '../../deploy/kubernetes/base');

export type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };

type Kubeconfig = { clusters: { cluster: object }[] };

export async function deployedRules(): Promise<Rule[]> {
  const { rules } = parse(await readFile(join(base, 'role.yaml'), 'utf8')) as { rules: Rule[] };
  return rules;
}

/** Lines such as `secrets: create, patch, delete`. */
export function printRules(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.map((resource) => `${[...apiGroups.filter(Boolean), resource].join('/')}: ${verbs.join(', ')}`),
  );
}

/**
 * A service account with only the deployed role; closing it removes both. `admin` may create them; `server`: host and
 * port of the API server, instead of its own.
 */
export async function connectAsBerth(
  admin: Cluster,
  name: string,
  server?: string,
): Promise<AsyncDisposable & { cluster: Cluster; kubeconfig: string }> {
  const namespace = 'default';
  const roles = '/apis/rbac.authorization.k8s.io/v1';
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const [binding] = parseAllDocuments(await readFile(join(base, 'account.yaml'), 'utf8'))
    .map((document) => document.toJSON())
    .filter(({ kind }) => kind === 'ClusterRoleBinding');
  const metadata = { name };
  const rules = await deployedRules();
  const kind = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  await admin.request('POST', accounts, { body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata } });
  await admin.request('POST', `${roles}/clusterroles`, { body: { ...kind, kind: 'ClusterRole', metadata, rules } });
  await admin.request('POST', `${roles}/clusterrolebindings`, {
    body: {
      ...binding,
      metadata,
      roleRef: { ...binding.roleRef, name },
      subjects: [{ ...binding.subjects[0], name, namespace }],
    },
  });
  const requested = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400 },
  };
  const { status } = await admin.request<{ status: { token: string } }>('POST', `${accounts}/${name}/token`, {
    body: requested,
  });
  const folder = await mkdtemp(join(tmpdir(), 'berth-role-'));
  const file = join(folder, 'kubeconfig');
  const { clusters } = parse(await readFile(process.env.KUBECONFIG ?? '', 'utf8')) as Kubeconfig;
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'berth',
    clusters: [{ name: 'berth', cluster: { ...clusters[0]!.cluster, ...(server && { server: `https://${server}` }) } }],
    users: [{ name: 'berth', user: { token: status.token } }],
    contexts: [{ name: 'berth', context: { cluster: 'berth', user: 'berth' } }],
  };
  await writeFile(file, JSON.stringify(kubeconfig), { mode: 0o600 });
  const cluster = await connectCluster(file);
  return {
    cluster,
    kubeconfig: file,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
      for (const path of [
        `${roles}/clusterrolebindings/${name}`,
        `${roles}/clusterroles/${name}`,
        `${accounts}/${name}`,
      ])
        await admin.request('DELETE', path).catch((error: unknown) => {
          if (!(error instanceof ClusterRefusal && error.status === 404)) throw error;
        });
    },
  };
}
