/** Projects of many kinds go from a folder to a live site without a question, with the packages of npm's registry. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { isPublic } from '../../src/images/dialer/public-addresses.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { onDocker } from '../scenarios/engine-of-tests.ts';
import { builtWithNode } from './projects/node-pages.ts';
import { nodeServers } from './projects/node-servers.ts';
import { otherProjects } from './projects/other-projects.ts';
import { writeProject } from './projects/project.ts';
import { makeStandIns, removeStandIns, standInImages } from './projects/stand-in-images.ts';

const run = promisify(execFile);

suite('a project is live after one request:', onDocker('its base images are on this machine alone'), () => {
  let berth: Berth;
  before(async () => {
    await makeStandIns();
    const { address } = await lookup('registry.npmjs.org', { family: 4 });
    berth = await createBerth({
      BERTH_LOCAL_IMAGES: ['berth-builder:1', 'nginx:1', ...standInImages].join(','),
      BERTH_EGRESS: isPublic(address, []) ? 'open' : `${address}/32:443`,
    });
    await berth.serve();
  });
  after(async () => {
    await berth?.destroy();
    await removeStandIns();
  });

  for (const project of [...nodeServers, ...builtWithNode, ...otherProjects])
    test(project.name, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'berth-project-'));
      t.after(() => rm(folder, { recursive: true }));
      await writeProject(folder, project);
      const { stdout: body } = await run('tar', ['-C', folder, '-czf', '-', '.'], { encoding: 'buffer' });
      const {
        status,
        text,
        body: started,
      } = await berth.visit(`http://localhost:${berth.settings.port}/startUserDeployment?name=shop`, {
        method: 'POST',
        headers: { 'content-type': 'application/gzip' },
        body,
      });
      assert.equal(status, 200, text);
      await berth.reach(started, 'running');
      assert.match((await berth.visit(started.url)).text, /hello from here/);
      await berth.remove(started);
    });
});
