/** PURE. Images that the operator has on the host: nobody may run them unless he says so. */
import { isKeptName } from './kept-names.ts';

/** `built`: those that the set-up has built; besides, those whose names match a pattern, in which `*` is anything. */
export type LocalImages = { built: boolean; patterns: readonly string[] };

export const setUpImages: LocalImages = { built: true, patterns: [] };

/** The set-up's images carry names that a registry has too; a label tells. */
const builtLabel = 'berth.built';

export function isLocalImage(
  image: string,
  labels: Readonly<Record<string, string>> | null | undefined,
  { built, patterns }: LocalImages,
): boolean {
  // What has passed the gate may carry any label, and is not for everybody.
  if (isKeptName(image)) return false;
  return (built && Boolean(labels?.[builtLabel])) || patterns.some((pattern) => matches(image, pattern));
}

function matches(image: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(image);
}
