import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Docker from 'dockerode';
import { openEgress } from '../../../deployment/workload/egress.ts';
import { createNetworks } from './networks.ts';

/** A Docker engine whose list of networks is out of date: it refuses subnets that it does not list. */
function forgetfulDocker(refusals: { statusCode: number; message: string }[]) {
  const made: string[] = [];
  const docker = {
    listNetworks: async () => [],
    getNetwork: () => ({ inspect: async () => Promise.reject(Object.assign(new Error(), { statusCode: 404 })) }),
    async createNetwork({ IPAM }: Docker.NetworkCreateOptions) {
      const refusal = refusals.shift();
      if (refusal) throw Object.assign(new Error(refusal.message), refusal);
      made.push(IPAM?.Config?.[0]?.Subnet ?? '');
    },
  } as unknown as Docker;
  return { docker, made };
}

const mine = { owner: 'me', epoch: () => 1 };
const overlap = { statusCode: 403, message: 'Pool overlaps with other one on this address space' };
const usedUp = { statusCode: 404, message: 'could not find an available, non-overlapping IPv4 address pool' };

test('a subnet that Docker refuses is passed over for the next one', async () => {
  const { docker, made } = forgetfulDocker([overlap, usedUp]);
  await createNetworks(docker, { ...mine, pool: '10.200.0.0/13' }).create('abc', openEgress);
  assert.deepEqual(made, ['10.200.1.0/25']);
});

test('creations at once never choose the same subnet', async () => {
  const { docker, made } = forgetfulDocker([]);
  const networks = createNetworks(docker, { ...mine, pool: '10.200.0.0/13' });
  await Promise.all(['a', 'b', 'c'].map((id) => networks.create(id, openEgress)));
  assert.equal(new Set(made).size, 3);
});

test('a pool that is used up is a matter of time, another error is itself', async () => {
  const full = createNetworks(forgetfulDocker([overlap, overlap]).docker, { ...mine, pool: '10.200.0.0/24' });
  await assert.rejects(full.create('abc', openEgress), {
    kind: 'unavailable',
    message: 'This host has no room for another network.',
  });
  const broken = createNetworks(forgetfulDocker([{ statusCode: 500, message: 'broken' }]).docker, {
    ...mine,
    pool: '10.200.0.0/13',
  });
  await assert.rejects(broken.create('abc', openEgress), { message: 'broken' });
});
