/** The connection to the engine's HTTP API. */
import Docker from 'dockerode';
import { isAtLeast } from './host.ts';
import { endRequests } from './requests.ts';

/** What Berth is written and tested against: Docker 20.10 speaks up to 1.41, Docker 29 nothing below 1.44. */
const newestApiVersion = '1.47';

/**
 * Connects to `DOCKER_HOST` (with `DOCKER_CERT_PATH`, `DOCKER_TLS_VERIFY`) or to the default socket, and negotiates
 * the version of the API. Throws Docker's or the socket's own error when nothing answers.
 */
export async function connectDocker(): Promise<Docker> {
  const { ApiVersion: offered } = await endRequests(new Docker()).version();
  const version = `v${isAtLeast(offered, newestApiVersion) ? newestApiVersion : offered}`;
  return endRequests(new Docker({ version }));
}
