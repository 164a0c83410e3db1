/**
 * `npm run fresh`: removes everything that the set-up installs, so that the next `npm start` or `npm test` runs as on a
 * new machine. With `--keep-packages` (as `.ci/run` calls it), Debian packages and node modules stay.
 */
import { existsSync, globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { announceOn } from './setup/announce.ts';
import { removePackages } from './setup/apt.ts';
import { findProgram, run } from './setup/commands.ts';
import { provideEngine } from './setup/engine.ts';
import { asRoot, type Host, inspectHost } from './setup/host.ts';
import { packagesOfSetUp } from './setup/installed-packages.ts';

const help = `Removes what the set-up makes: images, caches, test programs, the built dashboard, documentation and command line, the
Debian packages that it installed, and the node modules. A Docker engine that it installed is stopped first, with all
containers. Applications' data in .berth stay.

  npm run fresh                       waits for a confirmation
  npm run fresh -- --yes              skips the confirmation
  npm run fresh -- --keep-packages    leaves packages, the engine and the node modules; skips the confirmation
`;

const root = join(import.meta.dirname, '..');
const folders = ['node_modules/.cache', 'web/dist*', 'site/dist*', 'dist', 'test-output'];
const enginePackage = 'docker.io';
const enginePidFile = '/var/run/docker.pid';
const engineStopMs = 60_000;

const { values } = parseArgs({
  options: { yes: { type: 'boolean' }, 'keep-packages': { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help) console.log(help);
else await makeFresh();

async function makeFresh(): Promise<void> {
  const host = await inspectHost();
  const packages = values['keep-packages'] ? [] : await packagesOfSetUp();
  if (!values['keep-packages'] && !values.yes && !(await isConfirmed(packages))) {
    console.log('Nothing was removed. Add --yes to skip the question.');
    process.exitCode = 1;
    return;
  }
  await removeImages(host);
  const found = folders.flatMap((pattern) => globSync(join(root, pattern)));
  for (const path of found) await remove(path);
  if (values['keep-packages']) return;
  if (packages.length > 0) {
    if (packages.includes(enginePackage)) await stopEngine(host);
    await removePackages(host, packages);
    console.log(`Removed the packages ${packages.join(', ')}.`);
  }
  // This folder is removed last, because it contains the Node.js of this process.
  await remove(join(root, 'node_modules'));
}

async function isConfirmed(packages: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const more = packages.includes(enginePackage) ? ', stops the Docker engine with all containers,' : '';
  console.log(
    `This removes images, caches and node modules${more} and the packages ${packages.join(', ') || '(none)'}.`,
  );
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Continue? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/**
 * Removes images that the set-up or a test built, which have a label. An image in use stays. A stopped engine is
 * started first, because it still has its images.
 */
async function removeImages(host: Host): Promise<void> {
  const docker = new Docker();
  const isThere = () =>
    docker.ping().then(
      () => true,
      () => false,
    );
  if (!(await isThere()) && !(await findProgram('dockerd'))) return;
  await provideEngine(host, announceOn(process.stdout));
  const images = await docker.listImages({ filters: { label: ['berth.built=true'] } });
  for (const { Id, RepoTags } of images) {
    // Docker 20.10 lists an image without a tag under the tag `<none>:<none>`, which no call accepts.
    const tags = RepoTags?.filter((tag) => !tag.startsWith('<none>')) ?? [];
    for (const name of tags.length > 0 ? tags : [Id]) {
      const problem = await docker
        .getImage(name)
        .remove()
        .then(
          () => '',
          (error: Error) => error.message,
        );
      console.log(problem ? `Kept the image ${name}: ${problem}` : `Removed the image ${name}.`);
    }
  }
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  console.log(`Removed ${relative(root, path)}.`);
}

/** Only the engine of this machine, by the process id that it wrote down. */
async function stopEngine(host: Host): Promise<void> {
  if (host.hasSystemd) return void (await run(asRoot(host, ['systemctl', 'stop', 'docker.service', 'docker.socket'])));
  const pid = (await readFile(enginePidFile, 'utf8').catch(() => '')).trim();
  const command = pid && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  if (!command || !/(^|\/)dockerd\0/.test(command)) return;
  await run(asRoot(host, ['kill', pid]));
  for (let waitedMs = 0; existsSync(`/proc/${pid}`) && waitedMs < engineStopMs; waitedMs += 100) await pause(100);
  console.log('Stopped the Docker engine.');
}
