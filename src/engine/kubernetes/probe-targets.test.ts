import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { complaintsAbout, probePort, probeProgram, targetsOf } from './isolation-probe.ts';

const places = {
  peer: '10.244.0.7',
  victim: '10.244.0.8',
  apiService: '10.96.0.1',
  apiServer: '10.250.0.2:6443',
  nodes: ['10.250.0.2', '10.250.0.3', '10.250.0.4', '10.250.0.5'],
};
const targets = targetsOf(places);
const kept = targets.map(({ mayReach }) => (mayReach ? 'reached' : 'ECONNREFUSED'));

test('a cluster that keeps its policies gives nothing to complain about', () => {
  assert.deepEqual(complaintsAbout(targets, kept), []);
});

test('each forbidden target that a pod reaches is named, and each of its own that it does not reach', () => {
  assert.deepEqual(
    complaintsAbout(
      targets,
      kept.map((outcome) => (outcome === 'reached' ? 'no answer' : 'reached')),
    ),
    [
      'A pod does not reach another pod of its own deployment, by name (no answer).',
      'A pod does not reach another pod of its own deployment, by address (no answer).',
      'A pod reaches a pod of another deployment.',
      "A pod reaches the cloud's metadata service.",
      "A pod reaches the cluster's API, by its service.",
      "A pod reaches the cluster's API, by its address.",
      ...['10.250.0.2', '10.250.0.3', '10.250.0.4'].map((node) => `A pod reaches the kubelet of node ${node}.`),
    ],
  );
});

test('what was not tried does not count as kept where it has to be reached', () => {
  assert.equal(complaintsAbout(targets, []).length, 2);
});

test('an API server without a port is at 443, and one with an IPv6 address is found', () => {
  const api = (apiServer: string) =>
    targetsOf({ ...places, apiServer }).find(({ words }) => words.endsWith('API, by its address'));
  assert.partialDeepStrictEqual(api('api.example.com'), { host: 'api.example.com', port: 443 });
  assert.partialDeepStrictEqual(api('[fd00::1]:6443'), { host: 'fd00::1', port: 6443 });
});

test('the program in the pod reports the targets that it reaches and those that it does not', async (t) => {
  const listener = createServer((socket) => socket.end());
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as { port: number };
  const requested = [
    { host: '127.0.0.1', port },
    { host: '127.0.0.1', port: 1 },
  ];
  const program = probeProgram.replace(
    `.listen(${probePort})`,
    ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
  );
  const pod: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => {
    pod.kill();
    listener.close();
  });
  const [at] = (await once(pod.stdout!, 'data')) as [Buffer];
  const answer = await fetch(`http://127.0.0.1:${Number(at)}/`, { method: 'POST', body: JSON.stringify(requested) });
  assert.deepEqual(await answer.json(), ['reached', 'ECONNREFUSED']);
});
