/**
 * Builds an image from a recipe: unpacks packages, creates a root file system, and loads an archive into the engine.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { candidateOf, policiesOf } from '../apt.ts';
import { findProgram } from '../commands.ts';
import type { Host } from '../host.ts';
import { architecture, type ImageConfig, loadImage, type Ownership } from './archive.ts';
import { unpack } from './packages.ts';
import { type Asset, copyAsset, layOut, type Root } from './root.ts';

export type Recipe = {
  image: string;
  /** No registry has it: it is always built here. */
  isOwn?: true;
  /** A text for the line that announces the build. */
  from: string;
  /** How long the build takes on two cores, for the same line. */
  seconds: number;
  /** Debian packages with the files of the image. The libraries that they need are added. */
  packages: readonly string[];
  /** The content that the tag promises: the beginning of this package's upstream version. */
  promises?: { package: string; version: string };
  config: ImageConfig;
  /** Folders that belong to another user than root. */
  ownership?: readonly Ownership[];
  /** Files of the repository, copied after `fill`. */
  assets?: readonly Asset[];
  fill(root: Root): Promise<void>;
};

/** Returns why this machine cannot build the image, or nothing. */
export async function obstacleTo(
  recipe: Recipe,
  host: Host,
  updateLists: () => Promise<void>,
): Promise<string | undefined> {
  if (!host.isDebianLike) return 'images are built from Debian packages.';
  if (!architecture()) return `no recipe supports the processor ${process.arch}.`;
  for (const tool of ['dpkg-deb', 'tar', 'ldd', 'localedef']) {
    if (!(await findProgram(tool))) return `the program ${tool} is missing.`;
  }
  const names = [...recipe.packages];
  let policies = await policiesOf(names);
  if (names.some((name) => !candidateOf(policies, name)) && host.privilege !== 'none') {
    await updateLists();
    policies = await policiesOf(names);
  }
  const unknown = names.filter((name) => !candidateOf(policies, name));
  if (unknown.length > 0) return `this release has no package ${unknown.join(', ')}.`;
  return brokenPromise(recipe, policies);
}

function brokenPromise({ promises }: Recipe, policies: string): string | undefined {
  if (!promises) return undefined;
  const version = upstreamVersion(candidateOf(policies, promises.package) ?? '');
  if (version.startsWith(promises.version)) return undefined;
  return `this release has ${promises.package} ${version}, not ${promises.version}x.`;
}

/** `5:7.0.15-1~deb12u10` → `7.0.15` */
export function upstreamVersion(debianVersion: string): string {
  return debianVersion.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}

/** @param folder a temporary folder, which is removed at the end, because a root file system has 100 MB. */
export async function build(recipe: Recipe, docker: Docker, folder: string): Promise<void> {
  const root: Root = { folder: join(folder, 'root'), packages: join(folder, 'packages') };
  await mkdir(root.folder, { recursive: true });
  await mkdir(root.packages, { recursive: true });
  try {
    await unpack(['busybox-static', ...recipe.packages], root.packages);
    await layOut(root);
    await recipe.fill(root);
    for (const asset of recipe.assets ?? []) await copyAsset(root, asset);
    await loadImage(
      docker,
      { name: recipe.image, config: recipe.config, ownership: recipe.ownership ?? [] },
      root,
      folder,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
