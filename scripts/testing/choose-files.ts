/** PURE. Which test files a command runs: a tier, the files that match words, or the files that a change affects. */
import { reaches } from './imports.ts';

/**
 * `unit`: files that start no other process. `usual`: all but nightly files. `nightly`: files named `*.nightly.test.ts`,
 * which repeat in depth what a usual file shows once (kills, hostile tenants, gVisor, broken engines), and files that
 * choose some of their cases with `test/tier.ts`.
 */
export type Tier = 'unit' | 'usual' | 'nightly';

export function isNightly(file: string): boolean {
  return file.endsWith('.nightly.test.ts');
}

/** Files that import this module run some of their cases only nightly. */
const tierModule = 'test/tier.ts';

/** Words choose files of every tier by a part of their path. Without words, the tier decides; `unit` is sorted out later. */
export function chooseFiles(
  files: readonly string[],
  words: readonly string[],
  tier: Tier,
  importsOf: (file: string) => string[],
): string[] {
  if (words.length > 0) return files.filter((file) => words.some((word) => file.includes(word)));
  if (tier !== 'nightly') return files.filter((file) => !isNightly(file));
  return files.filter((file) => isNightly(file) || reaches(importsOf, file, new Set([tierModule])));
}

/** Scenarios start the service as a process of its own, so no import leads from them to a changed file of the service. */
const serviceEntry = 'src/main.ts';

/** The tests that cover a feature, by parts of paths. A change elsewhere in the service runs `representatives`. */
const features: readonly { changed: RegExp; covers: RegExp }[] = [
  { changed: /snapshot|dump/, covers: /snapshot|dump|volume|data\.|killed-loads/ },
  { changed: /domain|certificate|acme|tls/, covers: /https|domain|certificate/ },
  { changed: /^src\/edge\//, covers: /edge|updates|two-edges|https|pod-addresses/ },
  { changed: /^src\/engine\/docker\//, covers: /contract\/docker|lifecycle|updates|health|volumes|engine/ },
  { changed: /^src\/(images|push)\/|registry/, covers: /image|push|registr|layers/ },
  { changed: /account|claim/, covers: /account|claim|sign-in|session/ },
  { changed: /^src\/notify\/|notification/, covers: /notif|mail/ },
  { changed: /metric/, covers: /metrics/ },
  { changed: /exec|terminal/, covers: /exec|terminal/ },
  { changed: /^src\/mcp\//, covers: /mcp|agent/ },
  { changed: /^src\/cli\//, covers: /cli|command-line|test\/up\// },
  { changed: /^src\/(backup|admin)\//, covers: /backup|admin|rotate|store/ },
  { changed: /^src\/store\//, covers: /store|postgres|upgrade|full-store/ },
  {
    changed: /^src\/(control|deployment)\//,
    covers: /lifecycle|updates|expiry|failure|grace|killed-planes|simulation/,
  },
  { changed: /^src\/config\//, covers: /config|compose|correcting|secrets|examples|templates/ },
  { changed: /^src\/api\//, covers: /claim|sessions|failure|mcp|agents/ },
  { changed: /^web\//, covers: /browser/ },
  { changed: /^(docs|site|README)/, covers: /docs|documentation|examples/ },
  { changed: /^templates\//, covers: /template/ },
];
const representatives = /scenarios\/(lifecycle|updates|failure|claim|command-line)\.test/;

/**
 * The test files that a change of `changed` (paths from the root) affects: files that changed, files that import a changed
 * file, and the files in `test/` that cover the changed feature.
 */
export function affectedFiles(
  files: readonly string[],
  changed: readonly string[],
  importsOf: (file: string) => string[],
): string[] {
  const paths = new Set(changed);
  const covers = changed.flatMap((path) => {
    const found = features.filter((feature) => feature.changed.test(path)).map((feature) => feature.covers);
    const isPartOfService = reaches(importsOf, serviceEntry, new Set([path]));
    return found.length > 0 || !isPartOfService ? found : [representatives];
  });
  return files.filter(
    (file) =>
      reaches(importsOf, file, paths) || (file.startsWith('test/') && covers.some((pattern) => pattern.test(file))),
  );
}
