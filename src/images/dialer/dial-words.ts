/** PURE. Why a request to a user's address failed, as text that follows its host. */
import type { DialFaultKind } from './dial-fault.ts';

export const dialWords: Record<Exclude<DialFaultKind, 'too-long'>, string> = {
  'private-address': 'is not on the public internet',
  'not-https': 'leads to an address without HTTPS',
  'unknown-name': 'is not in DNS',
  unreachable: 'cannot be reached, or has no valid certificate',
  'too-slow': 'takes too long to answer',
  'too-many-redirects': 'redirects in circles',
};
