/** Findings about a folder, with places in all files that are read. */
import type { Diagnostic } from '../config/diagnostics/diagnostics.ts';
import { readSource } from '../config/document/source.ts';
import type { Entry, Tree } from '../config/document/tree.ts';
import { markedIn } from './marks.ts';
import type { Finding, Place, WantedRepository } from './project.ts';

/**
 * Findings with the places of values from several files: the offsets of each file begin after those of the previous
 * one, so that merged trees preserve the place of every value.
 */
export type Findings = {
  notes: Finding[];
  refusals: Finding[];
  /** Variables without a value that are needed here, usually in a path, with their places. */
  needed: Map<string, number[]>;
  /** Missing files of variables, by path in the folder, with the first place that names each, and an example file. */
  missingFiles: Map<string, { at: number; example: string | undefined }>;
  /** Repositories from which images are built, but whose files are missing. */
  repositories: WantedRepository[];
  /** Returns whether a text contains such variables. Then their values are needed at that place. */
  needs(text: string, at?: number): boolean;
  note(code: string, message: string, at?: number, hint?: string): void;
  refuse(code: string, message: string, at?: number, hint?: string): void;
  /** The tree of a text. Undefined if it is invalid YAML, which is then refused. */
  readYaml(file: string, text: string): Tree | undefined;
  /** Offsets for the lines of a file that is not YAML. */
  addText(file: string, text: string): number;
  placeOf(at: number): Place;
};

export function openFindings(): Findings {
  const texts: { file: string; text: string; from: number }[] = [];
  const known = new Set<string>();
  // A finding is identified by its place in the file, because a file that several services name is read for each of
  // them.
  const isNew = (kind: string, said: Finding) => {
    const id = JSON.stringify([kind, said]);
    if (known.has(id)) return false;
    known.add(id);
    return true;
  };
  const findings: Findings = {
    notes: [],
    refusals: [],
    needed: new Map(),
    missingFiles: new Map(),
    repositories: [],
    needs(text, at = 0) {
      const names = markedIn(text);
      for (const name of names) findings.needed.set(name, [...(findings.needed.get(name) ?? []), at]);
      return names.length > 0;
    },
    note(code, message, at, hint) {
      if (findings.needs(message, at)) return;
      const note = finding(code, message, at, hint);
      if (isNew('note', note)) findings.notes.push(note);
    },
    refuse(code, message, at, hint) {
      // A finding about a path with an open variable does not apply to the final path.
      if (findings.needs(message, at)) return;
      const refusal = finding(code, message, at, hint);
      if (isNew('refusal', refusal)) findings.refusals.push(refusal);
    },
    readYaml(file, text) {
      const from = findings.addText(file, text);
      const { source, diagnostics } = readSource(text);
      for (const diagnostic of diagnostics) {
        const { line, column } = diagnostic;
        findings.refusals.push({ ...messageOf(diagnostic), at: { file, line, column } });
      }
      return source && shift(source.root, from, new Map());
    },
    addText(file, text) {
      const last = texts.at(-1);
      const from = last ? last.from + last.text.length + 1 : 0;
      texts.push({ file, text, from });
      return from;
    },
    placeOf(at) {
      const { file, text, from } = texts.findLast((one) => one.from <= at) ?? texts[0]!;
      const before = text.slice(0, at - from).split('\n');
      return { file, line: before.length, column: before.at(-1)!.length + 1 };
    },
  };
  const finding = (code: string, message: string, at: number | undefined, hint: string | undefined) => ({
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(at !== undefined && texts.length > 0 && { at: findings.placeOf(at) }),
  });
  return findings;
}

export function messageOf({ code, message, hint }: Diagnostic): Finding {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** A value that several aliases repeat stays shared. */
function shift(tree: Tree, by: number, known: Map<Tree, Tree>): Tree {
  const done = known.get(tree);
  if (done) return done;
  const span = { at: tree.at + by, to: tree.to + by };
  const shifted: Tree =
    tree.kind === 'map'
      ? {
          ...tree,
          ...span,
          entries: new Map(
            [...tree.entries].map(([name, { key, value }]): [string, Entry] => [
              name,
              { key: { at: key.at + by, to: key.to + by }, value: shift(value, by, known) },
            ]),
          ),
        }
      : tree.kind === 'list'
        ? { ...tree, ...span, items: tree.items.map((item) => shift(item, by, known)) }
        : { ...tree, ...span };
  known.set(tree, shifted);
  return shifted;
}
