/** Why a text is no YAML, in words for someone who has never read its specification. Pure. */
import { Lexer, type YAMLParseError } from 'yaml';
import { type Explanation, quote } from '../diagnostics/diagnostics.ts';
import { foreignForm } from './foreign-formats.ts';
import { writeScalar } from './text-edits.ts';

/** Whether a text is YAML, or has another problem now, or one further down: only then is a fix offered. */
type Helps = (text: string) => boolean;

type Line = { at: number; text: string };

/**
 * Only the first problem is explained: what the library finds behind it is its consequence. The cause often stands in
 * the line above the one where the library gives up.
 */
export function explainSyntax(text: string, error: YAMLParseError, helps: Helps): Explanation {
  const offset = Math.min(error.pos[0], Math.max(text.length - 1, 0));
  const explained =
    explainMarkdown(text) ??
    foreignForm(text) ??
    explainTab(text, error) ??
    explainQuote(text, error) ??
    explainMissingSpace(text, offset) ??
    explainBracket(text, error) ??
    explainValue(text, offset, error) ??
    explainIndentation(text, offset, error) ??
    explainByCode(text, offset, error);
  const { fix, ...rest } = explained;
  return fix && helps(text.slice(0, fix.from) + fix.text + text.slice(fix.to)) ? { ...rest, fix } : rest;
}

/** Answers of language models come as Markdown; what is meant stands between the fences. */
function explainMarkdown(text: string): Explanation | undefined {
  // Fences of a file's content are indented.
  const fence = /^```[^\n]*$/m.exec(text);
  if (!fence) return undefined;
  const whole = /^\s*```[a-z]*[ \t]*\r?\n([\s\S]*?)^```\s*$/m.exec(text);
  const isWhole = whole && whole[0].length === text.length && !/^```/m.test(whole[1]!);
  return {
    offset: fence.index,
    message: 'this is Markdown, not YAML',
    hint: 'send only the lines between the ``` fences',
    ...(isWhole && { fix: { from: 0, to: text.length, text: whole[1]! } }),
  };
}

function explainTab(text: string, { code, pos }: YAMLParseError): Explanation | undefined {
  if (code !== 'TAB_AS_INDENT' && !/^ *\t/.test(lineAt(text, pos[0]).text)) return undefined;
  const first = /^[ ]*\t/m.exec(text.slice(lineAt(text, pos[0]).at));
  const offset = lineAt(text, pos[0]).at + (first?.index ?? 0);
  return {
    offset,
    message: 'the line is indented with a tab',
    hint: 'YAML is indented with spaces; set your editor to insert two of them for a tab',
    // In a text of several lines the tabs may be meant.
    ...(!/[|>][-+0-9]*[ \t]*\r?$/m.test(text) && {
      fix: { from: 0, to: text.length, text: text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', '  ')) },
    }),
  };
}

/** Of the lexer: the beginning of a document, of flow in an error, and of a scalar. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);

function explainQuote(text: string, { message }: YAMLParseError): Explanation | undefined {
  const sign = /Missing closing (["'])/.exec(message)?.[1];
  if (!sign) return undefined;
  // The library says where the text ends; its reader needs to know where the quote begins.
  let offset = 0;
  let opened = 0;
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith(sign)) opened = offset;
    // Tokens that mark something have no length in the text.
    if (!marks.has(token)) offset += token.length;
  }
  return {
    offset: opened,
    message: `the quote ${sign} that begins here is never closed`,
    hint: `write a second ${sign} at the end of the value`,
  };
}

const missingSpace = /^[ \t]*(?:- +)?([A-Za-z_][\w.-]{0,60}):(?=[^\s:/])/;

/** `name:shop` is one word to YAML, and the lines after it then make no sense. */
function explainMissingSpace(text: string, offset: number): Explanation | undefined {
  const line = lineAt(text, offset);
  for (const candidate of [line, lineBefore(text, line)]) {
    const match = candidate && missingSpace.exec(candidate.text);
    if (!candidate || !match || match[1] === 'http' || match[1] === 'https') continue;
    const at = candidate.at + match[0].length;
    return {
      offset: at,
      message: `there is no space after the colon of "${match[1]}:"`,
      hint: `write ${quote(`${match[1]}: ${candidate.text.slice(match[0].length).trim()}`)}`,
      fix: { from: at, to: at, text: ' ' },
    };
  }
  const dash = /^[ \t]*-(?=[A-Za-z])/.exec(line.text) ?? undefined;
  if (!dash || !/:/.test(line.text)) return undefined;
  const at = line.at + dash[0].length;
  const hint = 'an entry of a list begins with "- "';
  return { offset: at, message: 'there is no space after the hyphen', hint, fix: { from: at, to: at, text: ' ' } };
}

function explainBracket(text: string, { message, pos }: YAMLParseError): Explanation | undefined {
  const missing = /must be sufficiently indented and end with a ([\]}])/.exec(message)?.[1];
  if (!missing) return undefined;
  const open = missing === ']' ? '[' : '{';
  const offset = Math.max(text.lastIndexOf(open, Math.max(pos[0] - 1, 0)), 0);
  return {
    offset,
    message: `the ${open} that begins here is never closed`,
    hint: `write a ${missing} at its end, or quotes around a value that begins with ${open}`,
  };
}

const meanings: Record<string, string> = {
  '@': 'is reserved in YAML',
  '`': 'is reserved in YAML',
  '%': 'begins a directive in YAML',
  '*': 'begins an alias in YAML',
  '&': 'begins an anchor in YAML',
  '!': 'begins a tag in YAML',
  '{': 'begins a map in YAML',
  '[': 'begins a list in YAML',
  '|': 'begins a text of several lines in YAML',
  '>': 'begins a text of several lines in YAML',
};

/** A value on one line whose characters mean something to YAML: it needs quotes. */
function explainValue(text: string, offset: number, { code }: YAMLParseError): Explanation | undefined {
  const line = lineAt(text, offset);
  const match = /^([ \t]*(?:- +)*(?:[^\s"'#][^"'#]*?:[ \t]+|- +)?)(\S.*?)[ \t\r]*$/.exec(line.text.slice(0, 4096));
  if (!match) return undefined;
  const [, before, value] = match;
  const at = line.at + before!.length;
  const quoted = (message: string): Explanation => ({
    offset: at,
    message,
    hint: 'put the value in quotes',
    fix: { from: at, to: at + value!.length, text: writeScalar(value!) },
  });
  if (code === 'BAD_DQ_ESCAPE') {
    const sequence = text.slice(offset, offset + 2);
    return {
      offset,
      message: `"${sequence}" means nothing between double quotes`,
      hint: `write \\${sequence}, or use single quotes`,
      fix: { from: offset, to: offset, text: '\\' },
    };
  }
  const meaning = meanings[value![0]!];
  if (meaning && before !== '' && code !== 'BAD_INDENT' && code !== 'TAB_AS_INDENT') {
    return quoted(`a value cannot begin with ${value![0]} without quotes: it ${meaning}`);
  }
  if (/^(["']).*\1./.test(value!) && code === 'UNEXPECTED_TOKEN') {
    const end = at + value!.indexOf(value![0]!, 1) + 1;
    return { offset: end, message: 'text follows the closing quote', hint: 'put quotes around the whole value' };
  }
  const isOneLine = code === 'BLOCK_AS_IMPLICIT_KEY' && before !== '' && /: |:$/.test(value!);
  return isOneLine ? quoted('the value holds a colon and a space, which begin another value in YAML') : undefined;
}

function explainIndentation(text: string, offset: number, { code, message }: YAMLParseError): Explanation | undefined {
  const line = lineAt(text, offset);
  const above = lineBefore(text, line);
  // `name: shop` with a deeper line below it: the library blames the value, the reader sees the line below.
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY') {
    const below = lineAfter(text, line);
    if (below && indentOf(below) > indentOf(line) && /:/.test(below.text) && /:[ \t]+\S/.test(line.text)) {
      const hint = `begin it in column ${columnOf(line)}, below the line above`;
      return { offset: below.at + indentOf(below), message: 'the line is indented too far', hint };
    }
    return undefined;
  }
  const isIndentation = code === 'BAD_INDENT' || /Sequence item without - indicator/.test(message);
  if (!isIndentation || !above) return undefined;
  const columns = [...new Set(openColumns(text, line))].sort((a, b) => a - b);
  const hint = `begin it in the column of the lines that it belongs to: ${columns.join(' or ')}`;
  return {
    offset: line.at + indentOf(line),
    message: `the line begins in column ${indentOf(line) + 1}, where no other line of its block begins`,
    ...(columns.length > 0 && { hint }),
  };
}

function explainByCode(text: string, offset: number, { code, message }: YAMLParseError): Explanation {
  const line = lineAt(text, offset);
  const word = quote(line.text.trim());
  switch (code) {
    case 'MULTIPLE_DOCS':
      return { offset, message: 'there is a second document after "---"', hint: 'send one document at a time' };
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
      if (/Comments must be separated/.test(message)) {
        const fix = { from: offset, to: offset, text: ' ' };
        return { offset, message: 'there is no space before the comment', hint: 'write a space before the #', fix };
      }
      if (/:(\s|$)/.test(line.text)) break;
      return {
        offset: line.at + indentOf(line),
        message: `the line ${word} has no colon`,
        hint: 'write "name: value", or "- value" for an entry of a list',
      };
    case 'UNEXPECTED_TOKEN':
      return { offset, message: 'this is not expected here', hint: `look for a comma or quote too many in ${word}` };
    case 'BLOCK_IN_FLOW':
    case 'NON_STRING_KEY':
      return {
        offset,
        message: 'a map or list in brackets is not complete',
        hint: `look for a missing comma in ${word}`,
      };
  }
  return { offset, message: plainWords(message) };
}

/** The library's message without its excerpt of the source and its position, which are reported apart. */
function plainWords(message: string): string {
  const [first] = message.split('\n');
  return first!.replace(/ at line \d+, column \d+:?$/, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** The columns in which the blocks begin that are open above a line. */
function openColumns(text: string, line: Line): number[] {
  const columns: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  let current = lineBefore(text, line);
  for (let count = 0; current && count < 200 && least > 0; count++) {
    const indent = indentOf(current);
    if (indent < least) {
      least = indent;
      columns.push(indent + 1);
      const inItem = /^[ ]*(- +)(?=[^\s-])/.exec(current.text);
      if (inItem) columns.push(indent + inItem[1]!.length + 1);
    }
    current = lineBefore(text, current);
  }
  return columns;
}

function lineAt(text: string, offset: number): Line {
  // At the very beginning `lastIndexOf` would look at the first character itself.
  const at = offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', at);
  return { at, text: text.slice(at, end === -1 ? text.length : end) };
}

/** The nearest line above that is neither empty nor a comment. */
function lineBefore(text: string, { at }: Line): Line | undefined {
  while (at > 0) {
    const line = lineAt(text, at - 1);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
    at = line.at;
  }
  return undefined;
}

function lineAfter(text: string, { at }: Line): Line | undefined {
  for (let next = text.indexOf('\n', at) + 1; next > 0; next = text.indexOf('\n', next) + 1) {
    const line = lineAt(text, next);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
  }
  return undefined;
}

function indentOf({ text }: Line): number {
  return /^[ \t]*/.exec(text)![0].length;
}

function columnOf(line: Line): number {
  return indentOf(line) + 1;
}
