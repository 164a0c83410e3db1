/** The text of a document with the place of every node: YAML in, a plain value and a locator out. */
import { isMap, isNode, isPair, isScalar, LineCounter, type Node, type ParsedNode, parseDocument, visit } from 'yaml';
import type { Diagnostic, Path } from './diagnostics.ts';

/** Largest document in bytes (design, section 3). */
export const maxDocumentBytes = 256 * 1024;
/** Aliases expand to at most this many nodes: a bomb of nested aliases is refused, not expanded. */
const maxAliasCount = 100;

export type Source = {
  value: unknown;
  /** Line and column, from 1, of the node at a path, or of its nearest ancestor. With `key`, of the key itself. */
  place(path: Path, key?: string): { line: number; column: number };
  /** A scalar's text as written (`1.10` stays `1.10`); undefined for anything else. */
  textOf(path: Path): string | undefined;
};

/** Reads YAML (or JSON, which is YAML). Never throws: whatever is wrong with the text comes back as diagnostics. */
export function readSource(text: string): { source?: Source; diagnostics: Diagnostic[] } {
  try {
    return read(text);
  } catch (error) {
    // The YAML library recurses: nesting of some thousands overflows its stack, an alias bomb is a ReferenceError.
    const message =
      error instanceof RangeError ? 'the document is nested too deeply' : 'the document expands too many aliases';
    return { diagnostics: [unparsable(message, { line: 1, column: 1 })] };
  }
}

function read(text: string): { source?: Source; diagnostics: Diagnostic[] } {
  const lines = new LineCounter();
  // Unique keys are checked below: the library compares every pair of keys, 40,000 keys would take seconds.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, merge: true, stringKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  if (document.errors.length > 0) {
    return {
      diagnostics: document.errors.map(({ message, pos }) => unparsable(plainWords(message), at(pos[0]))),
    };
  }
  const repeated = repeatedKeys(document.contents).map(({ key, offset }) => ({
    ...unparsable(`the key "${key}" is there twice`, at(offset)),
    hint: 'keep one of them',
  }));
  if (repeated.length > 0) return { diagnostics: repeated };

  const nodeAt = (path: Path): Node | undefined => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node : undefined;
  };
  return {
    diagnostics: [],
    source: {
      value: document.toJS({ maxAliasCount }),
      textOf(path) {
        const node = nodeAt(path);
        if (!isScalar(node) || node.value === null) return undefined;
        return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
      },
      place(path, key) {
        for (let length = path.length; length >= 0; length--) {
          const node = nodeAt(path.slice(0, length));
          if (!node?.range) continue;
          const pair = key !== undefined && isMap(node) && node.items.find((item) => keyOf(item.key) === key);
          if (pair && isNode(pair.key) && pair.key.range) return at(pair.key.range[0]);
          return at(node.range[0]);
        }
        return { line: 1, column: 1 };
      },
    },
  };
}

function unparsable(message: string, place: { line: number; column: number }): Diagnostic {
  return { severity: 'error', code: 'unparsable', path: '', ...place, message };
}

/** The library's message without its excerpt of the source and its position, which are reported apart. */
function plainWords(message: string): string {
  return message.replace(/ at line \d+, column \d+:?[\s\S]*$/, '').replace(/:$/, '');
}

function keyOf(key: unknown): unknown {
  return isScalar(key) ? key.value : key;
}

function repeatedKeys(contents: ParsedNode | null): { key: string; offset: number }[] {
  const repeated: { key: string; offset: number }[] = [];
  if (!contents) return repeated;
  visit(contents, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const item of map.items) {
        if (!isPair(item) || !isScalar(item.key)) continue;
        const key = item.key.value;
        if (seen.has(key) && key !== '<<') repeated.push({ key: String(key), offset: item.key.range?.[0] ?? 0 });
        seen.add(key);
      }
    },
  });
  return repeated;
}
