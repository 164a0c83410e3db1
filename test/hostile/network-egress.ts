/** The egress of a plan: nothing, or a list. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { type Attempt, hasReached } from './agent.ts';
import { type Attacker, deployAttacker } from './attacker.ts';
import type { NetworkStage } from './network-stage.ts';
import { lanAddress, outside } from './network-world.ts';

export function egressTests(stage: () => NetworkStage): void {
  describe('egress', () => {
    let berth: Berth;
    let attacker: Attacker;
    before(async () => {
      berth = await createBerth({ BERTH_EGRESS: 'none' }, { engine: stage().world.engine });
      await berth.serve();
      attacker = await deployAttacker(berth, 'sealed');
    });
    after(() => berth?.destroy());

    const tries: Record<string, () => Attempt> = {
      'its own pods': () => ({ by: 'tcp', host: 'peer.pod', port: 4000 }),
      'an address of the list at a port of the list': () => ({ by: 'tcp', host: outside.public, port: 443 }),
      'the same at another port': () => ({ by: 'tcp', host: outside.public, port: 80 }),
      'a private address of the list': () => ({ by: 'udp', host: outside.privateA, port: 5432 }),
      'another public address': () => ({ by: 'tcp', host: outside.otherPublic, port: 443 }),
      'a public name': () => ({ by: 'name', host: 'public.test' }),
      'the public port of the edge': () => ({ by: 'http', host: lanAddress, port: berth.settings.port, path: '/' }),
      'a service of the machine': () => ({ by: 'tcp', host: lanAddress, port: 9000 }),
    };
    const reachedNow = async () => {
      const outcomes = await attacker.attempt(Object.values(tries).map((attempt) => attempt()));
      return Object.keys(tries).filter((_, index) => hasReached(outcomes[index]!));
    };

    /** The complete list, in the end: an answer may be late, and a change takes time. No other names, at any time. */
    const untilReached = (wanted: string[]) =>
      until(`reached are ${wanted}`, async () => {
        const now = await reachedNow();
        assert.deepEqual(
          now.filter((name) => !wanted.includes(name)),
          [],
        );
        return now.length === wanted.length;
      });

    test('none: a container reaches its own pods, and neither an address nor a name nor the edge', async () => {
      await untilReached(['its own pods']);
    });

    test('a list: what is on it, names and the edge; it holds for what runs already, which is not restarted', async () => {
      await berth.end('SIGTERM');
      const { dataDir, port } = berth.settings;
      const changed = {
        BERTH_DATA_DIR: dataDir,
        BERTH_PORT: String(port),
        BERTH_EGRESS: `${outside.public}:443,${outside.privateA}`,
      };
      const restarted = await createBerth(changed, { engine: stage().world.engine });
      await restarted.serve();
      const wanted = [
        'its own pods',
        'an address of the list at a port of the list',
        'a private address of the list',
        'a public name',
        'the public port of the edge',
      ];
      await untilReached(wanted);
      const plans = restarted.log().match(/"plan":"[^"]*"/g);
      assert.deepEqual(plans, [`"plan":"set-egress ${outside.public}/32:443,${outside.privateA}/32, now none"`]);
      await restarted.end('SIGTERM');
    });
  });
}
