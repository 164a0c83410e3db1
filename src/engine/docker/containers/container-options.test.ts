import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardening, withOptions } from './container.ts';

const base = hardening('amd64');
const place = { memoryBytes: 1000, mountPaths: ['/data'] };

test('without options, containers are created as ever', () => {
  assert.deepEqual(withOptions(base, {}, place), base);
});

test('options are added to the hardening, and weaken nothing', () => {
  const all = withOptions(
    base,
    {
      shmBytes: 500,
      tmpfs: [{ mountPath: '/run', user: 5, isExecutable: true }],
      readOnly: true,
      ulimits: { nofile: { soft: 1, hard: 2 }, fsize: { soft: 3, hard: 3 } },
      groups: ['0'],
      extraHosts: { a: '8.8.8.8', b: '2606:4700::1111' },
      sysctls: { 'net.core.somaxconn': '7' },
    },
    place,
  );
  const { ShmSize, Tmpfs, ReadonlyRootfs, Ulimits, GroupAdd, ExtraHosts, Sysctls, ...rest } = all;
  const { Ulimits: _, Sysctls: __, ...hard } = base;
  assert.deepEqual(rest, hard);
  assert.deepEqual([ShmSize, ReadonlyRootfs, GroupAdd], [500, true, ['0']]);
  assert.deepEqual(Tmpfs, {
    '/run': 'rw,nosuid,nodev,exec,size=500,mode=1777,uid=5',
    '/tmp': 'rw,nosuid,nodev,noexec,size=500,mode=1777',
  });
  assert.deepEqual(Ulimits, [
    { Name: 'core', Soft: 0, Hard: 0 },
    { Name: 'nofile', Soft: 1, Hard: 2 },
    { Name: 'fsize', Soft: 3, Hard: 3 },
  ]);
  assert.deepEqual(ExtraHosts, ['a:8.8.8.8', 'b:2606:4700::1111']);
  assert.deepEqual(Sysctls, { 'net.ipv4.ip_unprivileged_port_start': '0', 'net.core.somaxconn': '7' });
});

test('what lies in memory is never more than the memory', () => {
  const { ShmSize, Tmpfs } = withOptions(
    base,
    { shmBytes: 5000, tmpfs: [{ mountPath: '/a', sizeBytes: 5000 }] },
    place,
  );
  assert.deepEqual([ShmSize, Tmpfs], [1000, { '/a': 'rw,nosuid,nodev,noexec,size=1000,mode=1777' }]);
});

test('a container that can only be read has /tmp in memory, unless something else is there', () => {
  const directories = (mountPaths: string[]) =>
    Object.keys(withOptions(base, { readOnly: true }, { ...place, mountPaths }).Tmpfs ?? {});
  assert.deepEqual([directories([]), directories(['/tmp/'])], [['/tmp'], []]);
});
