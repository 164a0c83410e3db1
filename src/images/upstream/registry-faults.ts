/** PURE. Explains a registry's answer, or its silence, to the owner of a deployment. */
import { DialFault } from '../dialer/dial-fault.ts';
import { ImageFault, whenItAnswers } from '../image-fault.ts';

/** The context of a request. */
export type RequestContext = { image: string; registry: string; hasLogin: boolean };

/** The rate limit of the registry was reached. `waitMs`: the pause that it requires, if given. */
export function rateLimitFault({ image, registry, hasLogin }: RequestContext, waitMs: number | undefined): ImageFault {
  const when = waitMs === undefined ? '' : ` for about ${Math.ceil(waitMs / 60_000)} min`;
  const words = `The registry ${registry} allows no more pulls at the moment (its rate limit)${when}.`;
  const hint = hasLogin ? whenItAnswers : `${whenItAnswers}; a registryLogin may be allowed more`;
  return new ImageFault('registry-unreachable', image, words, { hint });
}

/** For statuses other than success. */
export function statusFault(status: number, requested: RequestContext): ImageFault {
  const { image, registry, hasLogin } = requested;
  if (status === 404) {
    const words = `Image ${image} does not exist in the registry ${registry}.`;
    return new ImageFault('image-not-found', image, words, { hint: 'check its name and tag' });
  }
  // Docker Hub has the same response for missing and private images.
  if ((status === 401 || status === 403) && registry === 'docker.io' && !hasLogin) {
    const hint = 'check its name, or add a registryLogin if it is private';
    return new ImageFault('image-not-found', image, `Image ${image} does not exist, or it is private.`, { hint });
  }
  if (status === 401 || status === 403) {
    const hint = hasLogin ? 'check the registryLogin, and what it may pull' : 'add a registryLogin for this registry';
    return new ImageFault('image-access-denied', image, `The registry ${registry} refuses access to ${image}.`, {
      hint,
    });
  }
  if (status === 429) return rateLimitFault(requested, undefined);
  const words = `The registry ${registry} answers ${status} for ${image}.`;
  return new ImageFault('registry-unreachable', image, words, { hint: whenItAnswers });
}

/** Translates the fault of a request without an answer. Other errors are bugs and are returned unchanged. */
export function dialFault(error: unknown, { image, registry }: RequestContext): unknown {
  if (!(error instanceof DialFault)) return error;
  const { kind, host } = error;
  const elsewhere =
    host === registry || (registry === 'docker.io' && host === dockerHubHost) ? '' : ` sends to ${host},`;
  const fault = (faultKind: ImageFault['kind'], words: string, hint: string, isSilence = false) =>
    new ImageFault(faultKind, image, words, { hint, isSilence, cause: error });
  switch (kind) {
    case 'private-address': {
      const which = elsewhere === '' ? ' is' : `${elsewhere} which is`;
      const words = `The registry ${registry}${which} at an address that is not of the public internet; ${image} is not pulled from there.`;
      return fault('bad-request', words, 'name a public registry, or ask the operator to allow this one');
    }
    case 'not-https': {
      const words = `The registry ${registry}${elsewhere === '' ? ' would have to' : `${elsewhere} to`} be queried for ${image} without HTTPS.`;
      return fault('bad-request', words, 'name a registry that has HTTPS');
    }
    case 'too-long':
      return fault(
        'bad-request',
        `The registry ${registry} describes ${image} with a manifest that is too large.`,
        'build it again',
      );
    case 'too-many-redirects':
      return fault(
        'registry-unreachable',
        `The registry ${registry} redirects without end for ${image}.`,
        whenItAnswers,
      );
    case 'too-slow': {
      const words = `The registry ${registry} stopped answering for ${image}.`;
      return fault('registry-unreachable', words, whenItAnswers, true);
    }
    case 'unknown-name':
    case 'unreachable': {
      const words = `The registry ${registry} cannot be reached for ${image}.`;
      return fault('registry-unreachable', words, `check its name; ${whenItAnswers}`, true);
    }
  }
}

/** The actual host of the registry `docker.io`. */
export const dockerHubHost = 'registry-1.docker.io';
