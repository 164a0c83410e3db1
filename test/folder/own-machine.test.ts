import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../support/project-folder.ts';

const serviceWith = (...lines: string[]) =>
  ['services:', '  web:', '    image: nginx:1.29', '    ports: [80]', ...lines.map((line) => `    ${line}`), ''].join(
    '\n',
  );

test('a name for this machine is left out in both forms, and other names stay', async (t) => {
  for (const [written, place] of [
    ['extra_hosts: ["host.docker.internal:host-gateway", "api.example.com:8.8.8.8"]', 'compose.yaml:5:19'],
    ['extra_hosts: { host.docker.internal: host-gateway, api.example.com: 8.8.8.8 }', 'compose.yaml:5:42'],
  ] as const) {
    const { noted, refused, pod } = await read(t, { 'compose.yaml': serviceWith(written) });
    assert.deepEqual([refused, noted], [[], [`machine-left-out ${place}`]]);
    assert.deepEqual(pod('web').container?.extraHosts, { 'api.example.com': '8.8.8.8' });
  }
  const other = await read(t, { 'compose.yaml': serviceWith('extra_hosts: ["lan:192.168.1.1"]') });
  assert.equal(other.refused.length, 1, 'an address of the local network does not name this machine');
});

test('shared memory of the machine becomes the own one of the service; other namespaces are refused', async (t) => {
  const { noted, refused, spec } = await read(t, { 'compose.yaml': serviceWith('ipc: host') });
  assert.deepEqual([refused, noted, spec.pods.length], [[], ['machine-left-out compose.yaml:5:10'], 1]);
  for (const key of ['pid: host', 'network_mode: host', 'ipc: "service:web"'])
    assert.equal((await read(t, { 'compose.yaml': serviceWith(key) })).refused.length, 1, key);
});

test('an external volume starts empty, and that is said of one that is used', async (t) => {
  const volumes = 'volumes: { kept: { external: true, name: of-another }, unused: { external: true } }\n';
  const { noted, refused, pod } = await read(t, {
    'compose.yaml': `${serviceWith('volumes: ["kept:/data"]')}${volumes}`,
  });
  assert.deepEqual([refused, noted], [[], ['outside-data compose.yaml:6:20']]);
  assert.deepEqual(
    pod('web').volumes.map(({ mountPath }) => mountPath),
    ['/data'],
  );
});
