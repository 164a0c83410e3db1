/** Builds and pushes all images of a project, one after another. */
import { basename } from 'node:path';
import type { Project } from '../../folder/project.ts';
import type { Docker } from '../../push/docker/docker-command.ts';
import { readPushCache, writePushCache } from '../../push/push-cache.ts';
import { PushFault } from '../../push/push-fault.ts';
import { type PushedImage, pushImage } from '../../push/push-image.ts';
import { createRegistryClient } from '../../push/registry/push-client.ts';
import { printable } from '../render.ts';
import { prepareBerthFolder } from '../saved-session.ts';
import { createProgress, printSize } from './push-progress.ts';
import type { UpContext } from './up-context.ts';
import type { UpSession } from './up-session.ts';

/** Throws a PushFault that names the image and the reason. */
export async function makeImages(
  { folder, streams, options, terminal, signal }: UpContext,
  { images }: Project,
  { connection, namespace, platform, fillsVolumes }: UpSession,
  docker: Docker,
): Promise<PushedImage[]> {
  if (!fillsVolumes) refuseArchives(images, connection.server);
  const { isWatched, paint } = terminal;
  const progress = createProgress({ stderr: streams.stderr, isWatched, isVerbose: options.verbose === true, paint });
  const place = await prepareBerthFolder(folder);
  const cache = await readPushCache(place);
  const registry = createRegistryClient({ server: connection.server, token: connection.token!, signal });
  const pushed: PushedImage[] = [];
  try {
    for (const image of images) {
      const made = await pushImage(
        { docker, registry, cache, namespace, platform, report: (step) => progress.step(step) },
        image,
      );
      progress.end();
      pushed.push(made);
      const moved =
        made.sentBytes === 0
          ? 'nothing has changed'
          : `${printSize(made.sentBytes)} sent, ${made.sentLayers} of ${made.layers} layers`;
      terminal.printNote(`  ${printable(image.name)}: ${moved}`);
    }
  } finally {
    progress.end();
    // Layers that are in the registry stay there, also after an interrupted push.
    await writePushCache(place, cache);
  }
  return pushed;
}

/** Without this check, the application would start with empty volumes. */
function refuseArchives(images: Project['images'], server: string): void {
  const archives = images.flatMap(({ layers }) => layers.filter(({ kind }) => kind === 'archive'));
  if (archives.length === 0) return;
  const names = archives.map(({ from }) => basename(from)).join(', ');
  throw new PushFault(`Volumes begin empty at ${server}, and would not have what is in ${names}.`, {
    hint: 'Start it by start-kubernetes.sh or start.sh; or take "fill" out of the Compose file: it begins without data.',
  });
}
