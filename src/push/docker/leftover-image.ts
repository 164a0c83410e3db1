/** Removes the previous image of a build from the user's Docker if it no longer has a name. */
import type { Docker } from './docker-command.ts';

/**
 * Removes an earlier build by its id. An image that was tagged, came from a registry or is used by a container stays.
 * Nothing is forced or reported.
 */
export async function removeLeftover(docker: Pick<Docker, 'run'>, id: string): Promise<void> {
  const format = '{{json .RepoTags}} {{json .RepoDigests}}';
  const { status, stdout } = await docker.run(['image', 'inspect', '--format', format, '--', id]);
  const isNamed = !/^(?:\[\]|null) (?:\[\]|null)$/.test(stdout.trim());
  if (status === 0 && !isNamed) await docker.run(['image', 'rm', '--', id]);
}
