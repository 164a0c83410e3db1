/** PURE. Images that the operator has on the host. Users may only run them if the operator allows it. */
import { isVerifiedName } from './verified-names.ts';

/**
 * `built`: images that the set-up built. `patterns`: images whose names match one of these, in which `*` matches any
 * text.
 */
export type LocalImages = { built: boolean; patterns: readonly string[] };

export const setUpImages: LocalImages = { built: true, patterns: [] };

/** The set-up's images have names that a registry may have too, so a label identifies them. */
const builtLabel = 'berth.built';

export function isLocalImage(
  image: string,
  labels: Readonly<Record<string, string>> | null | undefined,
  { built, patterns }: LocalImages,
): boolean {
  // Images that passed the gate may have any label, and are not shared.
  if (isVerifiedName(image)) return false;
  return (built && Boolean(labels?.[builtLabel])) || patterns.some((pattern) => matches(image, pattern));
}

function matches(image: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(image);
}
