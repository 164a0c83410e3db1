/** Memory that runs out for all deployments together: who has taken it loses it. Through the API, on the machine's engine. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';
import { type Attacker, deployAttacker } from './attacker.ts';

/** A database that has half of what was set aside for it, in one process: the largest of all. */
const database = `application:
  name: database
  pods:
    - name: db
      image: node:26-slim
      path: /
      servicePorts: [3000]
      resources: { requests: { memory: 300Mi }, limits: { memory: 512Mi } }
      command: [node, -e, "const kept = Buffer.alloc(150 * 2 ** 20, 1); require('http').createServer((_, answer) => answer.end(String(kept.length))).listen(3000)"]
`;

/** Many processes, each smaller than any other that is worth a kill. */
const hoard = `for i in $(seq 90); do
  sh -c 'x=$(head -c 4000000 /dev/zero | tr "\\0" x); sleep 1000; echo $x' > /dev/null &
  sleep 0.02
done; wait`;

const docker = new Docker();
let berth: Berth;
let attacker: Attacker;
let victim: Started;
before(async () => {
  berth = await createBerth({ BERTH_CAPACITY: 'memory-limit=480Mi gpus=1000' });
  await berth.serve();
  attacker = await deployAttacker(berth, 'hoarder');
  victim = await berth.start(database);
  await berth.reach(victim, 'running');
});
after(() => berth?.destroy());

const containerOf = async (deploymentId: string, pod: string) =>
  await docker.getContainer(`berth-${deploymentId}-${pod}-1-0`).inspect();

test('who hoards memory in many small processes is killed, and not the neighbour with one large one', async () => {
  const { id } = await berth.row(victim);
  const before = await containerOf(id, 'db');
  const attempts = [{ by: 'program', argv: ['sh', '-c', hoard], timeoutMs: 100_000 }];
  // Once: the agent that starts them may be killed first.
  const hoarding = berth
    .visit(attacker.started.url, { method: 'POST', body: JSON.stringify(attempts) })
    .catch(() => undefined);
  await until('the hoarder is killed', async () => {
    return (await containerOf(attacker.deploymentId, 'web')).RestartCount > 0;
  });
  const after = await containerOf(id, 'db');
  assert.deepEqual([after.RestartCount, after.State.Pid], [0, before.State.Pid]);
  assert.equal((await berth.visit(victim.url)).text, String(150 * 2 ** 20));
  await hoarding;
});
