/** A pod that exceeds its share harms itself, and not its neighbor. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import Docker from 'dockerode';
import { type Berth, until } from '../scenarios/berth.ts';
import type { Attacker } from './attacker.ts';

export type HarmStage = { berth: Berth; attacker: Attacker; neighbour: Attacker };

export function harmTests(stage: () => HarmStage): void {
  const run = async (script: string, timeoutMs = 120_000) => {
    const argv: [string, ...string[]] = ['node', '-e', script];
    const [outcome] = await stage().attacker.attempt([{ by: 'program', argv, timeoutMs }]);
    return outcome!;
  };
  /** During the attack, a neighbor still reaches another pod by name, and starts a program. */
  const assertNeighbourWorks = async () => {
    // A late answer may only be slow.
    await until('the neighbour works', async () => {
      const outcomes = await stage().neighbour.attempt([
        { by: 'tcp', host: 'peer.pod', port: 4000 },
        { by: 'program', argv: ['echo', 'works'] },
      ]);
      return outcomes.join() === 'answer: peer of neighbour,0: works';
    });
  };
  const assertBothAreWell = async () => {
    await assertNeighbourWorks();
    await until('the attacker is back', async () => {
      const [outcome] = await stage().attacker.attempt([{ by: 'program', argv: ['echo', 'back'] }]);
      return outcome === '0: back';
    });
    assert.equal((await stage().berth.status(stage().neighbour.started)).state, 'running');
  };

  describe('an attack hurts only its own deployment:', () => {
    test('a fork bomb ends at 256 processes', async () => {
      const bomb = run(`
        const { spawn } = require('node:child_process');
        const all = [];
        let refused = 0;
        const more = () => {
          const child = spawn('sleep', ['600'], { stdio: 'ignore' });
          child.once('error', ({ code }) => { refused += code === 'EAGAIN' ? 1 : 0; if (refused >= 50) end(); else setImmediate(more); });
          child.once('spawn', () => { all.push(child); setImmediate(more); });
        };
        const end = () => setTimeout(() => {
          console.log(all.length > 200 && all.length < 256 ? 'bounded' : all.length);
          for (const child of all) child.kill('SIGKILL');
          process.exit();
        }, 1500);
        for (let wide = 0; wide < 8; wide++) more();
      `);
      await assertNeighbourWorks();
      assert.equal(await bomb, '0: bounded');
      await assertBothAreWell();
    });

    test('a container that computes all the time yields to the others', async () => {
      const { berth } = stage();
      const started = await berth.start(spinner);
      await berth.reach(started, 'running');
      const { id } = await berth.row(started);
      const said = new RegExp(`"workload":"berth-${id}-loops-1-0","msg":"workload yields CPU`);
      await until('the attacker yields the processor', async () => said.test(berth.log()));
      await assertNeighbourWorks();
      await berth.remove(started);
    });

    test('a container that takes more memory than its limit is killed', async () => {
      const hog = run(`
        const kept = [];
        for (let taken = 0; taken < 1024; taken += 16) kept.push(Buffer.alloc(16 * 2 ** 20, 1));
        console.log('has it all');
      `);
      await assertNeighbourWorks();
      const outcome = await hog.catch(() => 'the agent was killed too');
      assert.doesNotMatch(outcome, /has it all/);
      await assertBothAreWell();
    });

    test('files in shared memory end at 64 MB', async () => {
      const argv: [string, ...string[]] = ['dd', 'if=/dev/zero', 'of=/dev/shm/full', 'bs=1M', 'count=100'];
      const [outcome] = await stage().attacker.attempt([{ by: 'program', argv }]);
      assert.match(outcome!, /No space left on device/);
      await stage().attacker.attempt([{ by: 'program', argv: ['rm', '/dev/shm/full'] }]);
    });

    test('open files end at 16,384 in each process', async () => {
      const outcome = await run(`
        const { openSync } = require('node:fs');
        let open = 0;
        try { for (;;) { openSync('/dev/null'); open++; } } catch ({ code }) { console.log(code, open > 16000 && open < 16384); }
      `);
      assert.equal(outcome, '0: EMFILE true');
    });

    test('a crash writes no image of the memory', async () => {
      const outcome = await run(`
        const { execFileSync } = require('node:child_process');
        console.log(String(execFileSync('sh', ['-c', 'ulimit -c; ulimit -Hc'])).trim().replace('\\n', ' '));
      `);
      assert.equal(outcome, '0: 0 0');
    });

    test('busy loops in many processes get the processor time of their limit', async () => {
      // Eight processes for a second and a half; the limit is one processor.
      const busy = run(`
        const { spawn } = require('node:child_process');
        const spin = 'const end = Date.now() + 1500; while (Date.now() < end); console.log(process.cpuUsage().user + process.cpuUsage().system)';
        const startedAt = performance.now();
        const all = Array.from({ length: 8 }, () => new Promise((resolve) => {
          const child = spawn(process.execPath, ['-e', spin]);
          let said = '';
          child.stdout.on('data', (chunk) => { said += chunk; });
          child.on('close', () => resolve(Number(said)));
        }));
        Promise.all(all).then((used) => {
          const share = used.reduce((a, b) => a + b) / 1000 / (performance.now() - startedAt);
          console.log(share <= 1.2 ? 'one processor' : share);
        });
      `);
      await assertNeighbourWorks();
      assert.equal(await busy, '0: one processor');
    });

    test('of any amount written to the log, 30 MB are kept', async () => {
      const script =
        "i=0; while [ $i -lt 80 ]; do head -c 1000000 /dev/zero | tr '\\\\0' 'x' | fold -w 1000 > /proc/1/fd/1; i=$((i+1)); done; echo done";
      const [outcome] = await stage().attacker.attempt([
        { by: 'program', argv: ['sh', '-c', script], timeoutMs: 300_000 },
      ]);
      assert.equal(outcome, '0: done');
      await assertNeighbourWorks();
      // Output reaches the engine's log with a delay, and the log is rotated at the same time.
      await until('between 15 and 31 MB are kept', async () => {
        const bytes = await logBytes(`berth-${stage().attacker.deploymentId}-web-1-0`).catch(() => 0);
        return bytes > 15_000_000 && bytes <= 31_000_000;
      });
    });
  });
}

/** A server and eight busy loops, with a limit that they reach even on a busy machine. */
const spinner = `application:
  name: spinner
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: [node, -e, "require('http').createServer((_, answer) => answer.end()).listen(3000)"]
    - name: loops
      image: node:26-slim
      resources: { limits: { cpu: 50m } }
      entrypoint: [sh, -c]
      command: ["for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait"]
`;

/** The size of a container's log on this machine. */
async function logBytes(container: string): Promise<number> {
  const { LogPath } = (await new Docker().getContainer(container).inspect()) as { LogPath: string };
  const files = (await readdir(dirname(LogPath))).filter((name) => name.startsWith(basename(LogPath)));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dirname(LogPath), name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
