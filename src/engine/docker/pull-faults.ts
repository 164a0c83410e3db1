/**
 * PURE. Why a pull failed, by the words of Docker and of the registries: their statuses do not tell. (Missing
 * credentials come as HTTP 500, an unknown tag as 404, an unreachable registry as 500; measured.)
 */

import { registryOf } from '../../deployment/references.ts';
import { EngineFault, type FaultKind } from '../engine.ts';
import { textOf } from './faults.ts';

export function pullFault(error: unknown, image: string, hasLogin: boolean): EngineFault {
  if (error instanceof EngineFault) return error;
  // Without what the client says of the status: to it, 401 is "no such image".
  const text = textOf(error).replace(/^(\(HTTP code \d+\) .*? - )+/, '');
  const rule = rules.find(({ pattern }) => pattern.test(text)) ?? otherwise;
  const kind = rule.kind === 'image-not-found' && hasLogin && /denied/i.test(text) ? 'image-access-denied' : rule.kind;
  return new EngineFault(kind, rule.words(image, hasLogin), { cause: error });
}

type Rule = { pattern: RegExp; kind: FaultKind; words: (image: string, hasLogin: boolean) => string };

const rules: Rule[] = [
  {
    // The socket of the engine, not that of the registry: no HTTP answer at all.
    pattern: /^(connect|read|write) E[A-Z]+|socket hang up/,
    kind: 'unavailable',
    words: () => 'The container engine does not answer.',
  },
  {
    pattern: /no matching manifest for|does not match the specified platform|cannot be used on this platform/i,
    kind: 'image-wrong-architecture',
    words: (image) => `Image ${image} is not built for the processor of this host.`,
  },
  {
    pattern: /invalid reference format|must be lowercase|invalid checksum digest/i,
    kind: 'bad-request',
    words: (image) => `${JSON.stringify(image)} is not the name of an image.`,
  },
  {
    pattern: /toomanyrequests|too many requests|rate limit/i,
    kind: 'registry-unreachable',
    words: (image) => `The registry ${registryOf(image)} allows no more pulls at the moment (its rate limit).`,
  },
  {
    // Docker Hub says the same of an image that does not exist and of one that is private.
    pattern: /repository does not exist or may require/i,
    kind: 'image-not-found',
    words: (image, hasLogin) =>
      hasLogin
        ? `Image ${image} does not exist, or the registry login may not pull it.`
        : `Image ${image} does not exist, or it is private: then add a registryLogin.`,
  },
  {
    pattern: /manifest.*(unknown|not found)|name unknown|: not found|not found: |no such (image|repository)/i,
    kind: 'image-not-found',
    words: (image) => `Image ${image} does not exist in the registry ${registryOf(image)}.`,
  },
  {
    pattern: /unauthorized|no basic auth credentials|denied|forbidden|authentication required|incorrect username/i,
    kind: 'image-access-denied',
    words: (image, hasLogin) =>
      hasLogin
        ? `The registry ${registryOf(image)} refuses ${image} with the given registryLogin.`
        : `The registry ${registryOf(image)} refuses ${image} without a login: add a registryLogin.`,
  },
  {
    pattern: /no space left on device/i,
    kind: 'unavailable',
    words: () => 'The host has no disk space left for the image.',
  },
];

/** Dial, DNS and TLS errors, timeouts, a registry's HTTP 500. A later try may go well. */
const otherwise: Rule = {
  pattern: /./,
  kind: 'registry-unreachable',
  words: (image) => `The registry ${registryOf(image)} cannot be reached for ${image}.`,
};
