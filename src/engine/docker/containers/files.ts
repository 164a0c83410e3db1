/**
 * Copies the files of a workload into its container between its creation and its start. They are sent as an archive,
 * not through a shell, so that every byte is preserved. Docker mounts the container's volumes for that, so a file below
 * a mount path gets into the volume.
 */
import { posix } from 'node:path';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import type { Workload } from '../../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine.ts';

/** Paths that the engine mounts over at the start of the container. A file there would be hidden. */
const hiddenAtStart = /^\/(dev|proc|sys)(\/|$)|^\/etc\/(hosts|hostname|resolv\.conf)$/;

export async function putFiles(container: Docker.Container, workload: Workload): Promise<void> {
  if (workload.files.length === 0) return;
  const hidden = workload.files.find(({ path }) => hiddenAtStart.test(absolute(path)));
  if (hidden)
    throw new EngineFault(
      'bad-request',
      `no file can be put at ${hidden.path}: that path belongs to the container engine.`,
      { pods: [workload.pod] },
    );
  // Without this option a file would replace a whole directory of the image that has its path.
  await container.putArchive(await archiveOf(workload.files), { path: '/', noOverwriteDirNonDir: '1' });
}

/**
 * A tar of these files, by default of mode 0644 and owned by root. It contains no directories: existing ones keep their
 * mode and owner, and Docker creates missing ones. The first entry begins with `./`, because the engine detects
 * compression by the first bytes.
 */
async function archiveOf(files: Workload['files']): Promise<Buffer> {
  const archive = pack();
  for (const { path, content, mode = '644', user = 0, group = 0 } of files) {
    const header = { name: `.${absolute(path)}`, mode: Number.parseInt(mode, 8), uid: user, gid: group };
    archive.entry(header, content);
  }
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
}

/** Normalised, so that no `..` is left. */
function absolute(path: string): string {
  return posix.resolve('/', path);
}
