/** Lists the modules of the project that a file loads, read from its text. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** PURE. Returns whether `file` imports one of `wanted`, directly or indirectly. */
export function reaches(importsOf: (file: string) => string[], file: string, wanted: ReadonlySet<string>): boolean {
  const seen = new Set([file]);
  for (const one of seen) {
    if (wanted.has(one)) return true;
    for (const next of importsOf(one)) seen.add(next);
  }
  return false;
}

/** PURE. The specifiers of the modules that are loaded when `source` runs. Type-only imports load nothing. */
export function specifiersIn(source: string): string[] {
  const patterns = [
    /^(?:import|export)\s+(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'/gm,
    /^import\s+'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'/g,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, specifier]) => specifier!));
}

/** Returns a function that reads the imports of a file once: project modules as paths from `root`, others by name. */
export function importReader(root: string): (file: string) => string[] {
  const known = new Map<string, string[]>();
  return (file) => {
    const found = known.get(file) ?? readImports(root, file);
    known.set(file, found);
    return found;
  };
}

function readImports(root: string, file: string): string[] {
  if (!/\.m?tsx?$/.test(file) || !existsSync(join(root, file))) return [];
  const specifiers = specifiersIn(readFileSync(join(root, file), 'utf8'));
  return specifiers.map((specifier) => (specifier.startsWith('.') ? join(dirname(file), specifier) : specifier));
}
