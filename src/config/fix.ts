/** Applying fixes to a document. Pure. */
import type { Diagnostic, TextEdit } from './diagnostics/diagnostics.ts';
import { type Judging, type Parsed, parseConfiguration } from './parse.ts';

/** One fix can reveal the next problem. For example, a missing space after a colon hides everything below it. */
const maxRounds = 8;
/** A larger document is fixed in one round, because each round parses it again. */
const maxRepeatedLength = 64 * 1024;

/** Returns the document with all fixes applied, and the remaining diagnostics. */
export function fixDocument(text: string, parsed: Parsed = parseConfiguration(text), judging: Judging = {}): Fixed {
  let current = { text, parsed };
  const rounds = text.length > maxRepeatedLength ? 1 : maxRounds;
  for (let round = 0; round < rounds; round++) {
    const { diagnostics } = current.parsed;
    // A renamed field may have a wrong value, which was not checked before.
    const next =
      better(current, editsOf(diagnostics), judging) ??
      better(current, editsOf(diagnostics.filter(isOfValue)), judging);
    if (!next) break;
    current = next;
  }
  return current;
}

type Fixed = { text: string; parsed: Parsed };

const ranks = { unparsable: 0, invalid: 1, valid: 2 };

/** Returns the document with these edits. Undefined if they change nothing or make it worse. */
function better(current: Fixed, edits: TextEdit[], judging: Judging): Fixed | undefined {
  const text = applyEdits(current.text, edits);
  if (text === current.text) return undefined;
  const parsed = parseConfiguration(text, judging);
  return ranks[parsed.kind] < ranks[current.parsed.kind] ? undefined : { text, parsed };
}

function isOfValue({ code }: Diagnostic): boolean {
  return code !== 'unknown-field';
}

function editsOf(diagnostics: readonly Diagnostic[]): TextEdit[] {
  return diagnostics.flatMap(({ fix }) => fix ?? []);
}

/** Applies the edits. Of two overlapping edits, the first one is applied. The next round finds the other one again. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let done = 0;
  let last: TextEdit | undefined;
  for (const edit of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const isRepeated = last?.from === edit.from && last.to === edit.to;
    if (edit.from < done || isRepeated) continue;
    parts.push(text.slice(done, edit.from), edit.text);
    done = edit.to;
    last = edit;
  }
  return parts.join('') + text.slice(done);
}
