/** The connection to the engine's HTTP API. */
import Docker from 'dockerode';
import { latestOnly } from '../../lib/latest-only.ts';
import { statusOf } from './faults.ts';
import { isAtLeast } from './host/host-facts.ts';
import { endRequests } from './requests.ts';

/** The version that Berth is tested against: Docker 20.10 supports up to 1.41, Docker 29 nothing below 1.44. */
const newestApiVersion = '1.47';

/**
 * Connects to `DOCKER_HOST` (with `DOCKER_CERT_PATH`, `DOCKER_TLS_VERIFY`) or to the default socket, and negotiates
 * the version of the API, again whenever the engine refuses a request: it may be another one by then. Throws Docker's
 * or the socket's own error when nothing answers.
 */
export async function connectDocker(): Promise<Docker> {
  return endRequests(renegotiating(new Docker({ version: await negotiate() })));
}

async function negotiate(): Promise<string> {
  const { ApiVersion: offered } = await endRequests(new Docker()).version();
  return `v${isAtLeast(offered, newestApiVersion) ? newestApiVersion : offered}`;
}

/** The same client, changed. The refused request still fails; its caller tries again. */
function renegotiating(docker: Docker): Docker {
  const modem = docker.modem as Docker['modem'] & { version: string };
  const dial = modem.dial.bind(modem);
  const askAgain = latestOnly<void>(async () => {
    modem.version = await negotiate().catch(() => modem.version);
  });
  modem.dial = (request, done) =>
    dial(request, (error, answer) => {
      // A version that it does not speak is a bad request like any other.
      if (statusOf(error) === 400) void askAgain();
      done?.(error, answer);
    });
  return docker;
}
