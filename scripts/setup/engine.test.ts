import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EngineFacts, planEngine } from './engine.ts';
import { installWords } from './host.ts';

const freshDebian: EngineFacts = {
  isDebianLike: true,
  privilege: 'root',
  hasSystemd: true,
  engine: 'does not answer',
  chosen: undefined,
  isInstalled: false,
};

function planned(facts: Partial<EngineFacts>): string {
  const plan = planEngine({ ...freshDebian, ...facts });
  if (plan.kind === 'use') return 'use';
  if (plan.kind === 'ask') return plan.message;
  return `${plan.install ? 'install, ' : ''}start by ${plan.by}`;
}

test('an engine that answers is used, wherever it is', () => {
  assert.equal(planned({ engine: 'answers' }), 'use');
  assert.equal(planned({ engine: 'answers', chosen: 'tcp://build:2375', privilege: 'none' }), 'use');
});

test('an engine is installed if no password is needed, and started by systemd if systemd runs', () => {
  assert.equal(planned({}), 'install, start by systemd');
  assert.equal(planned({ privilege: 'sudo', hasSystemd: false }), 'install, start by process');
});

test('an installed engine that is stopped is started, on any distribution', () => {
  assert.equal(planned({ isInstalled: true }), 'start by systemd');
  assert.equal(planned({ isInstalled: true, isDebianLike: false, hasSystemd: false }), 'start by process');
});

test('an engine that the user chose is never replaced', () => {
  assert.match(planned({ chosen: 'tcp://build:2375' }), /^No Docker engine answers at DOCKER_HOST=tcp:\/\/build:2375/);
});

test('steps that the set-up cannot take are described to the user', () => {
  assert.match(planned({ engine: 'refuses this user' }), /usermod -aG docker/);
  assert.match(planned({ privilege: 'none' }), /sudo apt-get install docker\.io iptables/);
  assert.match(planned({ privilege: 'none', isInstalled: true }), /sudo systemctl start docker/);
  assert.match(planned({ privilege: 'none', isInstalled: true, hasSystemd: false }), /sudo dockerd/);
  assert.match(planned({ isDebianLike: false }), /docs\.docker\.com/);
  const installs = installWords('linux', 'ID=fedora\n')!;
  assert.match(planned({ isDebianLike: false, installs }), /`sudo dnf install moby-engine`; .*docs\.docker\.com/);
});
