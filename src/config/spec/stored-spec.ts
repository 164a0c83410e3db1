/**
 * PURE. How a normalised configuration is stored. Its text names its version, because later releases will read it. A
 * change of `AppSpec` that is more than a new optional field makes a new version, and `readSpec` converts the old one.
 * `test/golden` has a text of each version.
 */
import type { AppSpec } from './spec.ts';

const currentVersion = 1;

type Stored = { version: number; spec: AppSpec };

export function printSpec(spec: AppSpec): string {
  const stored: Stored = { version: currentVersion, spec };
  return JSON.stringify(stored);
}

/** @throws where a newer release has written it. */
export function readSpec(text: string): AppSpec {
  const stored = JSON.parse(text) as Stored;
  if (stored.version > currentVersion)
    throw new Error(`This revision was stored by a newer release of Berth (format ${stored.version}).`);
  return stored.spec;
}
