/**
 * Creates an image archive for `docker load`. `docker import` would be simpler, but cannot set a stop signal.
 * PostgreSQL waits for its clients after SIGTERM until it is killed.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { run } from '../commands.ts';
import type { Root } from './root.ts';

/** The members of an image's configuration that the recipes use, under the names that the image format gives them. */
export type ImageConfig = {
  Entrypoint?: string[];
  User?: string;
  Cmd: string[];
  Env?: string[];
  ExposedPorts?: Record<string, object>;
  Volumes?: Record<string, object>;
  WorkingDir?: string;
  StopSignal?: string;
};

export type Ownership = { path: string; user: number };

export type ImageDescription = { name: string; config: ImageConfig; ownership: readonly Ownership[] };

const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Docker's name for this machine's processor, where there are recipes for it. */
export function architecture(): string | undefined {
  return { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
}

/** Packs the root file system into one layer and loads it into the engine under the given name. */
export async function loadImage(docker: Docker, image: ImageDescription, root: Root, folder: string): Promise<void> {
  const archive = join(folder, 'archive');
  await mkdir(archive, { recursive: true });
  const layer = join(archive, 'layer.tar');
  await pack(root, image.ownership, layer);
  const config = JSON.stringify(imageJson(image.config, await sha256(layer)));
  await writeFile(join(archive, 'config.json'), config);
  const manifest = [{ Config: 'config.json', RepoTags: [image.name], Layers: ['layer.tar'] }];
  await writeFile(join(archive, 'manifest.json'), JSON.stringify(manifest));
  await load(docker, archive);
}

async function pack(root: Root, ownership: readonly Ownership[], layer: string): Promise<void> {
  const place = [`--file=${layer}`, `--directory=${root.folder}`, '--numeric-owner', '--format=pax'];
  const excluded = ownership.map(({ path }) => `--exclude=.${path}`);
  await run(['tar', '--create', ...place, '--owner=0', '--group=0', '--anchored', ...excluded, '.']);
  for (const { path, user } of ownership) {
    await run(['tar', '--append', ...place, `--owner=${user}`, `--group=${user}`, `.${path}`]);
  }
}

function imageJson(config: ImageConfig, layerSha256: string) {
  const created = new Date().toISOString();
  const given = config.Env ?? [];
  const Env = given.some((entry) => entry.startsWith('PATH=')) ? given : [defaultPath, ...given];
  return {
    architecture: architecture(),
    os: 'linux',
    created,
    config: { ...config, Env, Labels: { 'berth.built': 'true' } },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layerSha256}`] },
    history: [{ created, created_by: 'built by Berth from Debian and npm packages' }],
  };
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}

async function load(docker: Docker, archive: string): Promise<void> {
  const tar = spawn(
    'tar',
    ['--create', '--file=-', `--directory=${archive}`, 'manifest.json', 'config.json', 'layer.tar'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const answer = await docker.loadImage(tar.stdout, { quiet: true });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(answer, (error) => (error ? reject(error) : resolve()));
  });
}
