import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read, readWeb } from '../../../test/support/compose-reading.ts';
import { parseConfiguration } from '../parse.ts';
import { serviceKeys } from './key-table.ts';

describe('what a shared host cannot honour is an error at its line', () => {
  const table: [string, string][] = [
    ['privileged: true', 'unsupported 4'],
    ['network_mode: host', 'unsupported 4'],
    ['network_mode: "service:vpn"', 'unsupported 4'],
    ['network_mode: none', 'unsupported 4'],
    ['pid: host', 'unsupported 4'],
    ['ipc: host', 'unsupported 4'],
    ['ipc: "service:x"', 'unsupported 4'],
    ['uts: host', 'unsupported 4'],
    ['userns_mode: host', 'unsupported 4'],
    ['cgroup: host', 'unsupported 4'],
    ['use_api_socket: true', 'unsupported 4'],
    ['devices:\n  - /dev/dri:/dev/dri', 'unsupported 4'],
    ['device_cgroup_rules: ["c 1:3 mr"]', 'unsupported 4'],
    ['cap_add: [CHOWN, SYS_ADMIN]', 'unsupported 4'],
    ['cap_add: [ALL]', 'unsupported 4'],
    ['platform: windows/amd64', 'unsupported 4'],
    ['runtime: io.containerd.wasmedge.v1', 'unsupported 4'],
    ['external_links: [other]', 'unsupported 4'],
    ['volumes_from: [other]', 'unsupported 4'],
    ['post_start: [{ command: x }]', 'unsupported 4'],
    ['provider: { type: model }', 'unsupported 4'],
    ['models: [llm]', 'unsupported 4'],
    ['env_file: .env', 'env-file 4'],
    ['env_file:\n  - path: .env', 'env-file 5'],
    ['volumes: [{ type: npipe, source: x, target: /y }]', 'unsupported 4'],
    ['deploy: { resources: { reservations: { devices: [{ capabilities: [tpu] }] } } }', 'unsupported 4'],
  ];
  for (const [lines, expected] of table) {
    test(lines, () => {
      const { errors } = readWeb(lines);
      assert.deepEqual(errors, [expected]);
    });
  }

  test('with images, networks, volumes and includes that are not here', () => {
    const { errors } = read(`include: [other.yaml]
services:
  web:
    build: .
    ports: [80]
    networks: [edge]
    volumes: ["a:/a", "b:/b", "c:/c"]
  none: {}
networks:
  edge: { external: true }
  unused: { external: true }
volumes:
  a: { external: true }
  b: { driver: rclone }
  c:
    driver_opts: { type: none, device: /srv/data, o: bind }
  d: { external: true }
`);
    assert.deepEqual(errors, [
      'unsupported 1',
      'build-without-image 4',
      'missing-image 8',
      'external 10',
      'external 13',
      'unsupported 14',
      'bind-mount 16',
    ]);
  });
});

describe('what is harmless', () => {
  const accepted = [
    'privileged: false',
    'network_mode: bridge',
    'ipc: private',
    'init: true',
    'tty: true',
    'cap_drop: [ALL]',
    'cap_add: [CHOWN, CAP_KILL]',
    'platform: linux/amd64',
    'restart: unless-stopped',
    'read_only: false',
    'labels: [a=b]',
    'label_file: ./labels',
    'pull_policy: always',
    'x-anything: { a: 1 }',
  ];
  for (const line of accepted) {
    test(`${line} says nothing`, () => assert.deepEqual(readWeb(line).codes, []));
  }

  const ignored = Object.entries(serviceKeys).filter(([, { outcome }]) => outcome === 'ignored');
  for (const [key] of ignored) {
    test(`${key} is a warning`, () => assert.deepEqual(readWeb(`${key}: true`).codes, ['ignored 4']));
  }
  for (const line of [
    'cap_add: [NET_ADMIN]',
    'platform: linux/arm64',
    'runtime: sysbox-runc',
    'env_file: [{ path: .env, required: false }]',
  ]) {
    test(`${line} is a warning`, () => assert.match(readWeb(line).said.join(), /^warning \S+ 4: [^\n]+$/));
  }

  test('the same key of many services is one warning', () => {
    const { codes } = read(`services:
  web: { image: "a:1", ports: [80], annotations: { a: b } }
  api: { image: "a:1", annotations: [a=b] }
`);
    assert.deepEqual(codes, ['ignored 2']);
  });
});

test('every refused key is refused', () => {
  for (const [key, { outcome }] of Object.entries(serviceKeys)) {
    if (outcome === 'refused') assert.deepEqual(readWeb(`${key}: [x]`).errors, ['unsupported 4'], key);
  }
});

test('an unknown key is a warning with the one that was meant', () => {
  const { said } = readWeb('enviroment: { A: 1 }');
  assert.deepEqual(said, ['warning unknown-field 4: "enviroment" is not a key of a service and is ignored']);
});

test('invalid forms are errors', () => {
  assert.deepEqual(read('services:\n').errors, ['no-services 1']);
  assert.deepEqual(read('services: []').errors, ['no-services 1']);
  assert.ok(read('services: { web: nginx }').errors.includes('not-a-map 1'));
  assert.ok(read('services: { web: { image: [a] } }').errors.includes('not-a-scalar 1'));
  const many = Array.from({ length: 51 }, (_, index) => `  s${index}: { image: "a:1", ports: [80] }\n`).join('');
  assert.deepEqual(read(`services:\n${many}`).errors, ['too-many-services 1']);
});

test('the fix of a misspelled key renames it, unless the right one is there too or has no effect', () => {
  const fixOf = (lines: string) => {
    const document = `services:\n  web:\n    image: nginx:1\n    ports: ["80"]\n    ${lines}\n`;
    const { diagnostics } = parseConfiguration(document);
    const found = diagnostics.find(({ code }) => code === 'unknown-field');
    assert.deepEqual([found?.line, found?.column], [5, lines.startsWith('x-berth') ? 16 : 5]);
    return found?.fix && document.slice(0, found.fix.from) + found.fix.text + document.slice(found.fix.to);
  };
  assert.match(fixOf('comand: nginx # serve')!, /\n {4}command: nginx # serve\n$/);
  assert.match(fixOf('"enviroment": { A: "1" }')!, /\n {4}environment: \{ A: "1" \}\n$/);
  assert.match(fixOf('x-berth: { pth: / }')!, /\n {4}x-berth: \{ path: \/ \}\n$/);
  assert.equal(fixOf('comand: nginx\n    command: nginx'), undefined);
  assert.equal(fixOf('privilegd: true'), undefined);
});
