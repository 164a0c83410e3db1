/** `npm run image`: builds the image of Berth from this repository, for a cluster or for Docker. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { announceOn, SetUpError } from './setup/announce.ts';
import { updatePackageLists } from './setup/apt.ts';
import { provideFolder } from './setup/built-folder.ts';
import { run } from './setup/commands.ts';
import { dashboard } from './setup/dashboard.ts';
import { provideEngine } from './setup/engine.ts';
import { inspectHost } from './setup/host.ts';
import { berth } from './setup/images/berth/recipe.ts';
import { build, obstacleTo } from './setup/images/build.ts';
import { site } from './setup/site.ts';

const help = `Builds the image of Berth from this repository, npm packages and Debian packages, with this machine's Docker.

  npm run image                                            berth:VERSION, as package.json says
  npm run image -- --name registry.example.com/berth:1     under another name
  npm run image -- --save berth.tar                        also as a file, for nodes and for \`docker load\`
  npm run image -- --name HOST/NAME:TAG --push             also to the registry that its name says, with the login
                                                           that \`docker login\` has kept

A node takes the file by \`ctr -n k8s.io images import berth.tar\` (k3s: \`k3s ctr images import berth.tar\`,
kind: \`kind load image-archive berth.tar\`).
`;

export type ImageRequest = { name?: string | undefined; save?: string | undefined; push?: boolean | undefined };

/** The name of the image. Throws SetUpError with what to do when it cannot be built here. */
export async function provideBerthImage({ name: wanted, save, push }: ImageRequest): Promise<string> {
  const announce = announceOn(process.stdout);
  const docker = new Docker();
  const name = wanted ?? (await ownImageName());
  const host = await inspectHost();
  await provideFolder(dashboard, announce);
  await provideFolder(site, announce);
  await provideEngine(host, announce);
  const recipe = berth(name);
  const updateLists = () => announce('Updating the package lists', () => updatePackageLists(host));
  const obstacle = await obstacleTo(recipe, host, updateLists);
  if (obstacle) throw new SetUpError(`The image of Berth cannot be built here: ${obstacle}`);
  const folder = await mkdtemp(join(tmpdir(), 'berth-image-'));
  await announce(`Building ${name} from ${recipe.from} (about ${recipe.seconds} s)`, () =>
    build(recipe, docker, folder),
  );
  if (save !== undefined) await announce(`Saving it to ${save}`, () => saveImage(docker, name, save));
  if (push) await announce(`Pushing ${name}`, () => run(['docker', 'push', name]));
  return name;
}

/** The default: the image of this version of Berth. */
export async function ownImageName(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  return `berth:${version}`;
}

/** Saves the image like `docker save`. An existing file is replaced at the end. */
async function saveImage(docker: Docker, name: string, file: string): Promise<void> {
  const unfinished = `${resolve(file)}.unfinished`;
  try {
    await pipeline(await docker.getImage(name).get(), createWriteStream(unfinished));
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({
      options: {
        name: { type: 'string' },
        save: { type: 'string' },
        push: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) process.stdout.write(help);
    else await provideBerthImage(values);
  } catch (error) {
    console.error(`${(error as Error).message}\n\`npm run image -- --help\` says what there is.`);
    process.exitCode = 1;
  }
}
