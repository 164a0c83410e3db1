/** The rules survive changes around them, and are removed when they should be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readListing } from '../../src/engine/docker/firewall/listing.ts';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { reachable, unreachable } from './network-attempts.ts';
import { type NetworkStage, reached } from './network-stage.ts';
import { hostPorts } from './network-world.ts';

export function enduranceTests(stage: () => NetworkStage): void {
  describe('the rules', () => {
    const run = (...argv: [string, ...string[]]) => stage().world.engine.host.run(argv);
    const ruleset = () => run('nft', 'list', 'ruleset');
    const assertClosed = async () => assert.deepEqual(await reached(stage().fenced, unreachable), []);
    const assertOpen = async () => {
      const names = reachable.map(({ name }) => name);
      await until('all is reached that should be', async () => {
        return (await reached(stage().fenced, reachable)).length === names.length;
      });
    };
    const ourTable = async () => {
      const [, name = ''] = /table inet (berth_\w+)/.exec(await ruleset()) ?? [];
      const listing = readListing(await run('nft', '--json', '--stateless', 'list', 'table', 'inet', name));
      // The remaining time of its edges decreases, and restarts when it is loaded.
      return { name, ...listing, edges: listing.edges.map(({ leftSeconds: _, ...place }) => place) };
    };
    const timesRestored = () => stage().fenced.berth.log().split('restored').length;

    test("stay when the engine's rules are flushed", async () => {
      await run('iptables', '--flush');
      await run('iptables', '--table', 'nat', '--flush');
      await assertClosed();
    });

    test("hold although the operator's own let everything in", async () => {
      await run('nft', 'add table inet operators');
      for (const hook of ['input', 'forward', 'prerouting'])
        await run('nft', `add chain inet operators ${hook} { type filter hook ${hook} priority -300; policy accept; }`);
      await run('nft', 'insert rule inet operators input accept');
      await run('iptables', '--insert', 'INPUT', '--jump', 'ACCEPT');
      await assertClosed();
    });

    test('are back within seconds when everything is flushed', async () => {
      const before = timesRestored();
      await run('nft', 'flush', 'ruleset');
      await until('they are restored', async () => timesRestored() > before);
      await assertClosed();
    });

    test('are back within seconds when a part of them is changed', async () => {
      const { name } = await ourTable();
      for (const change of [`insert rule inet ${name} to_host accept`, `flush map inet ${name} egress`]) {
        const before = timesRestored();
        await run('nft', change);
        await until('they are restored', async () => timesRestored() > before);
        await assertClosed();
      }
    });

    test('outlive a restart of the engine', async () => {
      const { engine } = stage().world;
      await engine.stop('SIGKILL');
      await assertClosed();
      await engine.start();
      await assertOpen();
      await assertClosed();
    });

    test('are there while the service is not, and can be loaded before it starts', async () => {
      const { berth } = stage().fenced;
      await berth.end('SIGKILL');
      await assertClosed();
      const before = await ourTable();
      await run('nft', 'delete', 'table', 'inet', before.name);
      await run('nft', '--file', `${berth.settings.dataDir}/firewall.nft`);
      assert.deepEqual(await ourTable(), before);
      await assertClosed();
      await berth.serve();
      await assertOpen();
    });

    test('are needed to serve strangers', async () => {
      const { engine } = stage().world;
      const env = { DOCKER_HOST: `tcp://127.0.0.1:${hostPorts.engine}` };
      const open = await createBerth(env, { engine });
      await assert.rejects(open.serve(), /not kept from this machine's services and private networks/);
      await open.destroy();
    });

    const down = async ({ settings: { dataDir, port } }: Berth) => {
      const env = { ...process.env, BERTH_DATA_DIR: dataDir, BERTH_PORT: String(port) };
      const { host, dockerHost } = stage().world.engine;
      const argv = [process.execPath, 'scripts/down.ts', '--yes'] as const;
      assert.match(await host.run(argv, { ...env, DOCKER_HOST: dockerHost }), /Everything is removed/);
    };

    test('go with `npm run down`: those of one installation, and nothing else', async () => {
      const { fenced, control } = stage();
      await run('nft', 'add table inet operators');
      await down(control.berth);
      await assertClosed();
      await down(fenced.berth);
      const after = await ruleset();
      assert.ok(!after.includes('berth_'), after);
      assert.match(after, /table inet operators/);
      assert.match(after, /chain DOCKER-USER/);
    });
  });
}
