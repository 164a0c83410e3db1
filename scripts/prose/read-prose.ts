/** PURE. The text that people read in a file: Markdown outside of code, comments and sentences in TypeScript. */
import { parseSync, Visitor } from 'oxc-parser';

/** `docs`: Markdown. `messages`: strings of the product. `comments`: also docstrings. `tests`: both in test files. */
export type Area = 'docs' | 'messages' | 'comments' | 'tests';

export type Piece = { area: Area; text: string; offset: number };

/** A string with fewer spaces is a name, a path or a key. */
const minSpaces = 2;

export function readProse(path: string, source: string): Piece[] {
  if (path.endsWith('.md')) return [{ area: 'docs', text: withoutCode(source), offset: 0 }];
  const isTest = /\.test\.tsx?$|^test\//.test(path);
  return tokensOf(path, source).map((piece) => (isTest ? { ...piece, area: 'tests' } : piece));
}

/** Code blocks and inline code become blanks of the same length, so that offsets stay. */
function withoutCode(source: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, ' ');
  return source
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank);
}

function tokensOf(path: string, source: string): Piece[] {
  const { program, comments } = parseSync(path, source);
  const pieces = comments.map(({ value, start }): Piece => {
    // Without the asterisks at the beginnings of lines.
    const text = withoutCode(value).replaceAll(/^[ \t]*\*/gm, blankOf);
    return { area: 'comments', text, offset: start + 2 };
  });
  const add = (text: string, offset: number) => {
    if (text.split(' ').length > minSpaces) pieces.push({ area: 'messages', text: withoutNames(text), offset });
  };
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') add(value, start + 1);
    },
    TemplateElement: ({ value, start }) => add(value.raw, start),
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  return pieces;
}

/** Field names in backticks and column names in quotes are not prose. */
function withoutNames(text: string): string {
  return withoutCode(text).replaceAll(/"\w+"/g, blankOf);
}

function blankOf(text: string): string {
  return ' '.repeat(text.length);
}
