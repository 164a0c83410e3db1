/**
 * PURE. Why a pull failed, by the words of Docker and of the registries: their statuses do not tell. (Missing
 * credentials come as HTTP 500, an unknown tag as 404, an unreachable registry as 500; measured.)
 */

import { registryOf } from '../../../config/values/image-names.ts';
import { EngineFault, type FaultKind, whenItAnswers } from '../../engine.ts';
import { engineIsSilent, isSilence, outOfDiskHint, textOf } from '../faults.ts';

export function pullFault(error: unknown, image: string, hasLogin: boolean): EngineFault {
  if (error instanceof EngineFault) return error;
  if (isSilence(error)) return new EngineFault('unavailable', engineIsSilent, { cause: error, image });
  // Without what the client says of the status: to it, 401 is "no such image".
  const text = textOf(error).replace(/^(\(HTTP code \d+\) .*? - )+/, '');
  const rule = rules.find(({ pattern }) => pattern.test(text)) ?? otherwise;
  const kind = rule.kind === 'image-not-found' && hasLogin && /denied/i.test(text) ? 'image-access-denied' : rule.kind;
  const hint = rule.hint?.(hasLogin);
  return new EngineFault(kind, rule.words(image, hasLogin), { cause: error, image, ...(hint && { hint }) });
}

type Rule = {
  pattern: RegExp;
  kind: FaultKind;
  words: (image: string, hasLogin: boolean) => string;
  hint?: (hasLogin: boolean) => string;
};

const rules: Rule[] = [
  {
    pattern: /no matching manifest for|does not match the specified platform|cannot be used on this platform/i,
    kind: 'image-wrong-architecture',
    words: (image) => `Image ${image} is not built for the processor of this host.`,
    hint: () => architectureHint,
  },
  {
    pattern: /invalid reference format|must be lowercase|invalid checksum digest/i,
    kind: 'bad-request',
    words: (image) => `${JSON.stringify(image)} is not the name of an image.`,
    hint: () => 'write it as registry.example.com/team/app:1.2',
  },
  {
    pattern: /toomanyrequests|too many requests|rate limit/i,
    kind: 'registry-unreachable',
    words: (image) => `The registry ${registryOf(image)} allows no more pulls at the moment (its rate limit).`,
    hint: (hasLogin) => (hasLogin ? whenItAnswers : `${whenItAnswers}; a registryLogin may be allowed more`),
  },
  {
    // Docker Hub says the same of an image that does not exist and of one that is private.
    pattern: /repository does not exist or may require/i,
    kind: 'image-not-found',
    words: (image, hasLogin) =>
      `Image ${image} does not exist, or ${hasLogin ? 'the registryLogin may not pull it' : 'it is private'}.`,
    hint: (hasLogin) =>
      hasLogin
        ? 'check its name, and what the registryLogin may pull'
        : 'check its name, or add a registryLogin if it is private',
  },
  {
    pattern: /manifest.*(unknown|not found)|name unknown|: not found|not found: |no such (image|repository)/i,
    kind: 'image-not-found',
    words: (image) => `Image ${image} does not exist in the registry ${registryOf(image)}.`,
    hint: () => 'check its name and tag',
  },
  {
    pattern: /unauthorized|no basic auth credentials|denied|forbidden|authentication required|incorrect username/i,
    kind: 'image-access-denied',
    words: (image) => `The registry ${registryOf(image)} refuses access to ${image}.`,
    hint: (hasLogin) =>
      hasLogin ? 'check the registryLogin, and what it may pull' : 'add a registryLogin for this registry',
  },
  {
    pattern: /no space left on device/i,
    kind: 'unavailable',
    words: (image) => `Out of disk: the host has no space left for image ${image}.`,
    hint: () => outOfDiskHint,
  },
];

/** Dial, DNS and TLS errors, timeouts, a registry's HTTP 500. A later try may go well. */
const otherwise: Rule = {
  pattern: /./,
  kind: 'registry-unreachable',
  words: (image) => `The registry ${registryOf(image)} cannot be reached for ${image}.`,
  hint: () => `check its name; ${whenItAnswers}`,
};

/** Whether the engine reached nobody, or nobody answered it in time; a registry that answers with an error is there. */
export function isUnanswered(fault: EngineFault): boolean {
  return fault.kind === 'registry-unreachable' && unanswered.test(textOf(fault.cause));
}

/** Of the engine's HTTP client: names, connections, and the time for all of it. */
const unanswered =
  /\bdial (?:tcp|udp)\b|TLS handshake timeout|i\/o timeout|Client\.Timeout exceeded|context deadline exceeded/;

/** For an image that exists and has nothing that this host could run. */
export const architectureHint = 'build it for this processor, for example with docker build --platform';
