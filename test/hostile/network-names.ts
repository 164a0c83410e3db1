/** The resolvers that answer a container's DNS queries. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { type Attempt, hasReached } from './agent.ts';
import { type Attacker, deployAttacker } from './attacker.ts';
import type { NetworkStage } from './network-stage.ts';
import { namesOf, outside } from './network-world.ts';

export function nameTests(stage: () => NetworkStage): void {
  describe('names', () => {
    let berth: Berth;
    let attacker: Attacker;
    before(async () => {
      berth = await createBerth({}, { engine: stage().world.engine });
      await berth.serve();
      attacker = await deployAttacker(berth, 'asker');
    });
    after(() => berth?.destroy());

    const { resolver, otherResolver, public: stranger } = outside;
    const tries: Record<string, Attempt> = {
      'a public name': { by: 'name', host: 'public.test' },
      'a name of the local network': { by: 'name', host: namesOf.resolver },
      "a name of the local network, from the machine's resolver": {
        by: 'name',
        host: namesOf.resolver,
        server: resolver,
      },
      'the host of that name': { by: 'tcp', host: namesOf.resolver, port: 80 },
      'a name that the other resolver alone knows': { by: 'name', host: namesOf.otherResolver },
      'the same, from it': { by: 'name', host: namesOf.otherResolver, server: otherResolver },
      "the same, from the machine's resolver": { by: 'name', host: namesOf.otherResolver, server: resolver },
      'the same, from a server that answers no query': { by: 'name', host: namesOf.otherResolver, server: stranger },
      'another service of the other resolver': { by: 'tcp', host: otherResolver, port: 80 },
      'another pod by name': { by: 'tcp', host: 'peer.pod', port: 4000 },
    };

    /** The complete list, in the end: an answer may be late. No other names, at any time. */
    const untilReached = (by: Attacker, wanted: string[]) =>
      until(`reached are ${wanted}`, async () => {
        const outcomes = await by.attempt(Object.values(tries));
        const now = Object.keys(tries).filter((_, index) => hasReached(outcomes[index]!));
        assert.deepEqual(
          now.filter((name) => !wanted.includes(name)),
          [],
        );
        return now.length === wanted.length;
      });

    test("the machine's resolvers are used, so names of the local network resolve; their hosts are not reached", async () => {
      await untilReached(attacker, [
        'a public name',
        'a name of the local network',
        "a name of the local network, from the machine's resolver",
        'another pod by name',
      ]);
    });

    test('with others set, only those are used: by running containers without a restart, and by new ones', async () => {
      await berth.end('SIGTERM');
      const before = berth.log().length;
      await berth.serve({ BERTH_RESOLVERS: otherResolver });
      const wanted = [
        'a public name',
        'a name that the other resolver alone knows',
        'the same, from it',
        "the same, from the machine's resolver",
        'the same, from a server that answers no query',
        'another pod by name',
      ];
      await untilReached(attacker, wanted);
      assert.doesNotMatch(berth.log().slice(before), /"plan":/, 'nothing is restarted');
      const later = await deployAttacker(berth, 'later');
      await untilReached(later, wanted);
      const { HostConfig } = await stage()
        .world.engine.docker.getContainer(`berth-${later.deploymentId}-web-1-0`)
        .inspect();
      assert.deepEqual([HostConfig.Dns, HostConfig.DnsSearch], [[otherResolver], ['.']]);
    });
  });
}
