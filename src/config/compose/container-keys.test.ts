import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read, readWeb } from '../../../test/support/compose-reading.ts';

const mebibyte = 2 ** 20;

describe('what a container is created with is honoured, without a word', () => {
  const table: [string, object][] = [
    ['shm_size: 256mb', { shmBytes: 256 * mebibyte }],
    ['tmpfs: /run', { tmpfs: [{ mountPath: '/run' }] }],
    [
      'tmpfs: ["/tmp:size=64m,mode=1770,uid=5,gid=6,exec,nosuid,rw"]',
      {
        tmpfs: [{ mountPath: '/tmp', sizeBytes: 64 * mebibyte, mode: '1770', user: 5, group: 6, isExecutable: true }],
      },
    ],
    [
      'volumes: [{ type: tmpfs, target: /cache, tmpfs: { size: 8m, mode: 0755 } }]',
      { tmpfs: [{ mountPath: '/cache', sizeBytes: 8 * mebibyte, mode: '755' }] },
    ],
    ['read_only: true', { readOnly: true }],
    ['stop_signal: SIGQUIT', { stopSignal: 'SIGQUIT' }],
    ['stop_grace_period: 20s', { stopGraceSeconds: 20 }],
    [
      'ulimits: { nofile: { soft: 1024, hard: 4096 }, core: 0 }',
      { ulimits: { nofile: { soft: 1024, hard: 4096 }, core: { soft: 0, hard: 0 } } },
    ],
    ['group_add: [5, mail]', { groups: ['5', 'mail'] }],
    ['extra_hosts: ["a.b:8.8.8.8"]', { extraHosts: { 'a.b': '8.8.8.8' } }],
    [
      'extra_hosts: { a.b: "8.8.8.8", v6: "[2606:4700::1111]", own: 127.0.0.1 }',
      { extraHosts: { 'a.b': '8.8.8.8', v6: '2606:4700::1111', own: '127.0.0.1' } },
    ],
    ['sysctls: ["net.core.somaxconn=1024"]', { sysctls: { 'net.core.somaxconn': '1024' } }],
    [
      'sysctls: { net.ipv4.ip_local_port_range: "2000   3000" }',
      { sysctls: { 'net.ipv4.ip_local_port_range': '2000 3000' } },
    ],
  ];
  for (const [line, expected] of table) {
    test(line, () => {
      const { web, codes } = readWeb(line);
      assert.deepEqual(web.container, expected);
      assert.deepEqual(codes, []);
    });
  }
  test('an empty or false setting has no effect', () => {
    assert.ok(!('container' in readWeb('read_only: false\nulimits: {}\ntmpfs: []').web));
  });
  test('a further name for another service is a name of that service', () => {
    const { pods, errors } = read(`services:
  web: { image: "a:1", ports: [80], extra_hosts: ["db.local=db"] }
  db: { image: "postgres:16", environment: { POSTGRES_PASSWORD: x } }
`);
    assert.deepEqual([errors, pods[0]?.container, pods[1]?.aliases], [[], undefined, ['db.local']]);
  });
});

describe('what goes beyond the limits is as much as they are, and says so', () => {
  const table: [string, object, string][] = [
    ['shm_size: 2g', { shmBytes: 512 * mebibyte }, 'memory-limit 4'],
    ['tmpfs: ["/tmp:size=2g"]', { tmpfs: [{ mountPath: '/tmp', sizeBytes: 512 * mebibyte }] }, 'memory-limit 4'],
    ['stop_grace_period: 1h', { stopGraceSeconds: 30 }, 'ignored 4'],
    ['ulimits: { nofile: 1000000 }', { ulimits: { nofile: { soft: 16384, hard: 16384 } } }, 'ignored 4'],
    ['ulimits: { core: -1 }', { ulimits: { core: { soft: 0, hard: 0 } } }, 'ignored 4'],
  ];
  for (const [line, expected, code] of table) {
    test(line, () => {
      const { web, codes } = readWeb(line);
      assert.deepEqual([web.container, codes], [expected, [code]]);
    });
  }
  test('a limit that is not of one process is left out', () => {
    for (const name of ['memlock', 'nproc', 'nice', 'rtprio', 'constructor'])
      assert.deepEqual(readWeb(`ulimits: { ${name}: 5 }`).codes, ['ignored 4'], name);
  });
});

describe('what would reach beyond the container is refused in its line, with what to write instead', () => {
  const refused = [
    'extra_hosts: ["host.docker.internal:host-gateway"]',
    'extra_hosts: ["metadata=169.254.169.254"]',
    'extra_hosts: ["lan=192.168.1.1"]',
    'extra_hosts: ["docker=172.17.0.1"]',
    'extra_hosts: ["v6=fe80::1"]',
    'extra_hosts: ["mapped=::ffff:10.0.0.1"]',
    'extra_hosts: ["a b=8.8.8.8"]',
    'extra_hosts: [alone]',
    'sysctls: { kernel.core_pattern: "|/tmp/x" }',
    'sysctls: { kernel.shmmax: 1 }',
    'sysctls: { net.ipv4.ip_forward: 1 }',
    'sysctls: { net.ipv4.conf.all.route_localnet: 1 }',
    'sysctls: { net.core.somaxconn: "1; reboot" }',
    'sysctls: { net.ipv4.ip_local_port_range: "3000 2000" }',
    'stop_signal: SIGSTOP',
    'stop_signal: "9 1"',
    'group_add: ["a:b"]',
    'group_add: [-1]',
    'ulimits: { nofile: { soft: 9, hard: 3 } }',
  ];
  for (const line of refused) {
    test(line, () => assert.deepEqual(readWeb(line).errors, ['unsupported 4']));
  }
  for (const [line, code] of [
    ['tmpfs: [run]', 'bad-mount-path'],
    ['tmpfs: [/]', 'bad-mount-path'],
    ['tmpfs: [/proc/sys]', 'bad-mount-path'],
    ['tmpfs: ["/tmp/../dev"]', 'bad-mount-path'],
    ['tmpfs: ["/a:size=x"]', 'bad-size'],
    ['shm_size: much', 'bad-size'],
    ['stop_grace_period: soon', 'bad-duration'],
    ['ulimits: { nofile: many }', 'not-a-number'],
  ] as const) {
    test(line, () => assert.deepEqual(readWeb(line).errors, [`${code} 4`]));
  }
});
