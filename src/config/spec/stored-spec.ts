/**
 * PURE. How a normalised configuration is kept in a store. Its text names its version, because releases of Berth that
 * are not written yet will read it. A change of `AppSpec` that is more than a new optional field makes a new version,
 * and a step in `readSpec` that turns the old one into it. Golden files in `test/golden` hold one text of each version.
 */
import type { AppSpec } from './spec.ts';

const currentVersion = 1;

type Stored = { version: number; spec: AppSpec };

/** The order of fields and variables stays as it is: fingerprints of release 0.1 go by it. */
export function printSpec(spec: AppSpec): string {
  const stored: Stored = { version: currentVersion, spec };
  return JSON.stringify(stored);
}

/** @throws where a newer release has written it. */
export function readSpec(text: string): AppSpec {
  const stored = JSON.parse(text) as Stored | (AppSpec & { version?: undefined });
  // Release 0.1 stored the configuration alone, without a version.
  if (stored.version === undefined) return stored;
  if (stored.version > currentVersion)
    throw new Error(`This revision was stored by a newer release of Berth (format ${stored.version}).`);
  return stored.spec;
}
