/** The layer of images, as a test opens it: registries of its own are listed, as an operator would list them. */
import type Docker from 'dockerode';
import { referenceOf } from '../../src/engine/images/verified-names.ts';
import { type ImageParts, type ImageSettings, openImages } from '../../src/images/open.ts';

/** `hosts`: accessed over plain HTTP, at any address. Dispose of it when done. */
export async function openTestImages(
  hosts: readonly string[],
  settings: Partial<ImageSettings> = {},
  parts: ImageParts = {},
): ReturnType<typeof openImages> {
  const registries = hosts.map((host) => ({ host, plainHttp: true }));
  return await openImages(
    {
      registries,
      imageBytes: 2 ** 30,
      imageUnpackedBytes: 2 ** 31,
      gateHost: '127.0.0.1',
      registryPatienceMs: 30_000,
      ...settings,
    },
    parts,
  );
}

/** The setting that lists a registry of a test's own. */
export function listing({ host }: { host: string }): { BERTH_REGISTRIES: string } {
  return { BERTH_REGISTRIES: `${host} http` };
}

/** Removes images from these registries, even if containers run from them. */
export async function removeBrought(docker: Docker, ...hosts: readonly string[]): Promise<void> {
  for (const { Id, RepoTags } of await docker.listImages()) {
    const brought = (RepoTags ?? []).flatMap((tag) => referenceOf(tag) ?? []);
    if (!brought.some((reference) => hosts.some((host) => reference.startsWith(`${host}/`)))) continue;
    await docker.getImage(Id).remove({ force: true });
  }
}
