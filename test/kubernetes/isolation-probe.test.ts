/** The try from inside a pod, as the service makes it when it starts: on a cluster that keeps policies, and one that does not. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Engine } from '../../src/engine/engine.ts';
import { probeIsolation } from '../../src/engine/kubernetes/isolation-probe.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';

const image = 'node:26-slim';
const inNode = ['--net=/var/run/netns/k8s-node'];
const metadataAddress = ['addr', 'add', '169.254.169.254/32', 'dev', 'lo'];
const run = promisify(execFile);

let contractor: KubernetesContractor;
let metadata: ChildProcess;
before(async () => {
  contractor = await kubernetesContractor([image]);
  // A metadata service like a cloud's, in the network of the node only.
  await run('nsenter', [...inNode, 'ip', ...metadataAddress]);
  const program =
    "require('http').createServer((_, a) => a.end('metadata')).listen(80, '169.254.169.254', () => console.log('up'))";
  metadata = spawn('nsenter', [...inNode, process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(metadata.stdout!, 'data');
});
after(async () => {
  metadata?.kill();
  await run('nsenter', [...inNode, 'ip', 'addr', 'del', '169.254.169.254/32', 'dev', 'lo']).catch(() => {});
  await contractor?.dispose();
});

const probe = (engine: Engine, settleMs?: number) =>
  probeIsolation({
    engine,
    cluster: contractor.cluster,
    image,
    newId: () => newId(randomBytes),
    ...(settleMs !== undefined && { settleMs }),
  });

test('where policies are kept there is nothing to complain about, and nothing stays', async () => {
  assert.deepEqual(await probe(contractor.engine), []);
  assert.deepEqual(await contractor.engine.listOwned(), []);
});

test('without enforced policies, all reachable targets of a pod are named', async () => {
  const { engine, cluster } = contractor;
  const careless: Engine = {
    ...engine,
    async execute(id, operation) {
      const found = await engine.execute(id, operation);
      if (operation.kind === 'create-network')
        await cluster.remove('NetworkPolicy', 'berth', { namespace: namespaceName(id) });
      return found;
    },
  };
  const complaints = await probe(careless, 1_000);
  for (const words of [
    'a pod of another deployment',
    'metadata service',
    'API, by its service',
    'API, by its address',
    'the kubelet of node',
  ])
    assert.ok(
      complaints.some((complaint) => complaint.includes(words)),
      `${words}: ${complaints.join('\n')}`,
    );
});
