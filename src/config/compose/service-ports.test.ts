import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read } from '../../../test/support/compose-reading.ts';

describe('ports', () => {
  const table: [string, number[]][] = [
    ['["80"]', [80]],
    ['[80]', [80]],
    ['["8080:80"]', [80]],
    ['["127.0.0.1:8080:80"]', [80]],
    ['["[::1]:8080:80"]', [80]],
    ['["127.0.0.1::80"]', [80]],
    ['["80/tcp", "81/udp"]', [80]],
    ['["3000-3002"]', [3000, 3001, 3002]],
    ['["9090-9091:8080-8081"]', [8080, 8081]],
    ['["9090-9095:80"]', [80]],
    ['["80", "8080:80", "443:443"]', [80, 443]],
    ['[{ target: 80, published: "8080", protocol: tcp, mode: host }]', [80]],
    ['[{ target: 9090, app_protocol: http }]', [9090]],
  ];
  for (const [ports, expected] of table) {
    test(`${ports} is ${expected.join(', ')}`, () => {
      const { pods } = read(`services: { web: { image: "a:1", ports: ${ports} } }`);
      assert.deepEqual(pods[0]?.servicePorts, expected);
      assert.equal(pods[0]?.path, '/');
    });
  }
  for (const ports of [
    '["x"]',
    '["80:"]',
    '["0"]',
    '["70000"]',
    '["1:2:3:4"]',
    '["82-80"]',
    '["a:80"]',
    '[{ published: 1 }]',
  ]) {
    test(`${ports} is refused`, () => {
      assert.ok(read(`services: { web: { image: "a:1", ports: ${ports} } }`).errors.includes('bad-port 1'));
    });
  }
  const hosts = [
    '"${PORT}:80"',
    '"${PORT:?set it}:80"',
    '"${BIND}:${PORT}:80"',
    '"${BIND:-0.0.0.0}:${PORT:-${OTHER:-8080}}:80"',
    '"${BIND_AND_PORT:-0.0.0.0:1:2}:80/tcp"',
    '{ target: 80, published: "${PORT:?set it}", host_ip: "${BIND}" }',
  ];
  for (const port of hosts) {
    test(`${port}: what the port is on the host has no meaning, with or without a value`, () => {
      const { pods, said } = read(`services: { web: { image: "a:1", ports: [${port}] } }`);
      assert.deepEqual([pods[0]?.servicePorts, said], [[80], []]);
    });
  }
  test('a variable of the port inside is needed', () => {
    const { said } = read('services: { web: { image: "a:1", ports: ["80:${PORT}"] } }');
    assert.ok(said.includes('error bad-port 1: "80:${PORT}" is not a port'), said.join('\n'));
  });
  test('a range of thousands is refused without being counted out', () => {
    const { errors } = read('services: { web: { image: "a:1", ports: ["1-65535"] } }');
    assert.ok(errors.includes('too-many-ports 1'));
  });
  test('exposed ports are for the other services', () => {
    const { pods } = read(
      'services: { web: { image: "a:1", ports: [80] }, api: { image: "b:1", expose: ["3000-3001", 9/udp] } }',
    );
    assert.deepEqual(pods[1]?.servicePorts, [3000, 3001]);
    assert.equal(pods[1]?.path, undefined);
  });
});
