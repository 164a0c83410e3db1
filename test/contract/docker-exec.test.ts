/** The remains of aborted commands in a container, as the machine itself sees them. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import { createExecJournal, endOnceBegun, endOrphanedExecs } from '../../src/engine/docker/containers/exec-journal.ts';
import { findControlGroup } from '../../src/engine/docker/groups/container-group.ts';
import { facetOf } from '../../src/engine/engine.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { createReader, stubborn } from './exec.ts';

const mayEnd = process.getuid?.() === 0;

/** In the environment of these tests' commands, and of their children. The container has processes of its own. */
const mark = 'BERTH_TEST_COMMAND=1';
const command = ['env', mark, '/bin/sh', '-c', stubborn];

/** How many processes of those commands run in a container, as the kernel lists them. */
async function countCommands(docker: Docker, name: string): Promise<number> {
  const { State, Id } = await docker.getContainer(name).inspect();
  const group = await findControlGroup(State.Pid, Id);
  assert.ok(group);
  const pids = (await readFile(join(group.accounting, 'cgroup.procs'), 'utf8')).trim().split('\n');
  // A process that has just ended has no environment.
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return environments.filter((environment) => environment.split('\0').includes(mark)).length;
}

describe('commands in containers', { skip: !mayEnd && 'only root may end processes of containers' }, () => {
  const { contractor, newScene } = setStage(dockerContractor);

  async function runningWeb() {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    await scene.ready(web);
    return { web, count: () => countCommands(contractor().docker, web.name) };
  }

  test('one whose service was killed is ended by the next one', async () => {
    const { web, count } = await runningWeb();
    const { docker, engine, execs } = contractor();
    const running = await facetOf(engine, 'exec').start(web.name, { command });
    await createReader(running).to('started');
    assert.notEqual(await count(), 0);
    assert.deepEqual(await endOrphanedExecs(docker, execs), { ended: 1, unbegun: [] });
    assert.equal(await count(), 0);
    assert.deepEqual(await endOrphanedExecs(docker, execs), { ended: 0, unbegun: [] });
    await running[Symbol.asyncDispose]();
  });

  test('one that the engine begins only after its service was killed is ended too, and one that it never begins is forgotten', async () => {
    const { web, count } = await runningWeb();
    const { docker, execs } = contractor();
    const prepare = async () => {
      const exec = await docker.getContainer(web.name).exec({ Cmd: command });
      await createExecJournal(execs).add(exec.id);
      return exec;
    };
    const [late, never] = [await prepare(), await prepare()];
    const left = await endOrphanedExecs(docker, execs);
    assert.deepEqual([left.ended, left.unbegun.sort()], [0, [late.id, never.id].sort()]);
    const signal = new AbortController().signal;
    const ending = endOnceBegun(docker, execs, { execIds: [late.id], signal });
    (await late.start({ Detach: true })).destroy();
    await ending;
    assert.equal(await count(), 0);
    await endOnceBegun(docker, execs, { execIds: [never.id], signal, patienceMs: 0 });
    assert.deepEqual(await readdir(execs), []);
  });

  test('the status of one that has closed its outputs is awaited without polling the engine', async () => {
    const { web } = await runningWeb();
    const { docker, engine } = contractor();
    const { dial } = docker.modem;
    let looks = 0;
    docker.modem.dial = function counted(this: typeof docker.modem, options, callback) {
      if (/^\/exec\/[0-9a-f]+\/json/.test(options.path)) looks += 1;
      return dial.call(this, options, callback);
    };
    await using running = await facetOf(engine, 'exec').start(web.name, {
      command: ['/bin/sh', '-c', 'exec <&- >&- 2>&-; sleep 3; exit 6'],
    });
    await createReader(running).end();
    looks = 0;
    assert.equal(await running.exitCode(), 6);
    docker.modem.dial = dial;
    assert.ok(looks < 20, `${looks} looks`);
  });
});
