/** Explains invalid YAML to users who have never read its specification. Pure. */
import { Lexer, type YAMLParseError } from 'yaml';
import { type Explanation, quote } from '../diagnostics/diagnostics.ts';
import { explainIndentation, indentOf, isIndentation, lineAt, lineBefore } from './indentation.ts';
import { writeScalar } from './text-edits.ts';

/**
 * Returns whether a text is valid YAML, or its first problem is another one or further down. Only then is a fix
 * offered.
 */
type Helps = (text: string) => boolean;

/**
 * Only the first problem is explained, because later ones are usually its consequences. The cause is often in the line
 * above the reported one.
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
    explainReference(text, offset) ??
    explainValue(text, offset, error) ??
    explainIndentation(text, offset, error) ??
    explainByCode(text, offset, error);
  const { fix, ...rest } = explained;
  return fix && helps(text.slice(0, fix.from) + fix.text + text.slice(fix.to)) ? { ...rest, fix } : rest;
}

/** Language models often answer with Markdown. The document is between the fences. */
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
    // In a text of several lines, the tabs may be intended.
    ...(!/[|>][-+0-9]*[ \t]*\r?$/m.test(text) && {
      fix: { from: 0, to: text.length, text: text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', '  ')) },
    }),
  };
}

/** Tokens of the lexer: the start of a document, an error in a flow collection, and the start of a scalar. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);

function explainQuote(text: string, { message }: YAMLParseError): Explanation | undefined {
  const sign = /Missing closing (["'])/.exec(message)?.[1];
  if (!sign) return undefined;
  // The library reports the end of the text. The user needs the start of the quoted string.
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

/** `name:shop` is one word in YAML, which makes the following lines invalid. */
function explainMissingSpace(text: string, offset: number): Explanation | undefined {
  const line = lineAt(text, offset);
  for (const candidate of [line, lineBefore(text, line)]) {
    const match = candidate && missingSpace.exec(candidate.text);
    if (!candidate || !match || match[1] === 'http' || match[1] === 'https') continue;
    const at = candidate.at + match[0].length;
    return {
      offset: at,
      message: `a space is missing after the colon of "${match[1]}:"`,
      hint: `write ${quote(`${match[1]}: ${candidate.text.slice(match[0].length).trim()}`)}`,
      fix: { from: at, to: at, text: ' ' },
    };
  }
  const dash = /^[ \t]*-(?=[A-Za-z])/.exec(line.text) ?? undefined;
  if (!dash || !/:/.test(line.text)) return undefined;
  const at = line.at + dash[0].length;
  const hint = 'an entry of a list begins with "- "';
  return { offset: at, message: 'a space is missing after the hyphen', hint, fix: { from: at, to: at, text: ' ' } };
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

/** `[echo, ${NAME}]`: within brackets, YAML parses the brace as a flow map. The whole value must be quoted. */
function explainReference(text: string, offset: number): Explanation | undefined {
  if (text.slice(offset - 1, offset + 1) !== '${') return undefined;
  const at = offset - 1;
  const line = lineAt(text, offset);
  const end = /^\$\{[^}]*\}(?:\$\{[^}]*\}|[^,[\]{}"'])*/.exec(line.text.slice(at - line.at));
  if (!end)
    return { offset: at, message: 'the ${ that begins here is never closed', hint: 'write "${NAME}", with the quotes' };
  const before = text.slice(line.at, at);
  const from =
    at -
    before
      .replace(/^.*[,[{]/, '')
      .replace(/^.*:[ \t]+/, '')
      .trimStart().length;
  const value = text.slice(from, at + end[0].trimEnd().length);
  return {
    offset: from,
    message: 'a value with ${…} among brackets needs quotes',
    hint: `write ${JSON.stringify(value)}`,
    fix: { from, to: from + value.length, text: JSON.stringify(value) },
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

/** The maximum length of a line that is searched. The search for the start of a value takes quadratic time. */
const maxBeforeValue = 4096;

/** A value on one line with special characters of YAML must be quoted. */
function explainValue(text: string, offset: number, error: YAMLParseError): Explanation | undefined {
  const { code } = error;
  const line = lineAt(text, offset);
  const before = /^[ \t]*(?:- +)*(?:[^\s"'#][^"'#]*?:[ \t]+|- +)?(?=\S)/.exec(line.text.slice(0, maxBeforeValue))?.[0];
  if (before === undefined) return undefined;
  const value = line.text.slice(before.length).trimEnd();
  const at = line.at + before.length;
  const quoted = (message: string): Explanation => ({
    offset: at,
    message,
    hint: 'put the value in quotes',
    fix: { from: at, to: at + value.length, text: writeScalar(value) },
  });
  if (code === 'BAD_DQ_ESCAPE') {
    const sequence = text.slice(offset, offset + 2);
    return {
      offset,
      message: `"${sequence}" is not a valid escape between double quotes`,
      hint: `write \\${sequence}, or use single quotes`,
      fix: { from: offset, to: offset, text: '\\' },
    };
  }
  const meaning = meanings[value[0]!];
  if (meaning && before !== '' && !isIndentation(error) && code !== 'TAB_AS_INDENT') {
    return quoted(`a value cannot begin with ${value[0]} without quotes: it ${meaning}`);
  }
  if (/^(["']).*\1./.test(value) && code === 'UNEXPECTED_TOKEN') {
    const end = at + value.indexOf(value[0]!, 1) + 1;
    return { offset: end, message: 'text follows the closing quote', hint: 'put quotes around the whole value' };
  }
  const isOneLine = code === 'BLOCK_AS_IMPLICIT_KEY' && before !== '' && /: |:$/.test(value);
  return isOneLine ? quoted('the value holds a colon and a space, which begin another value in YAML') : undefined;
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
        return { offset, message: 'a space is missing before the comment', hint: 'write a space before the #', fix };
      }
      if (/:(\s|$)/.test(line.text)) break;
      return {
        offset: line.at + indentOf(line),
        message: `the line ${word} has no colon`,
        hint: 'write "name: value", or "- value" for an entry of a list',
      };
    case 'UNEXPECTED_TOKEN':
      return { offset, message: 'this is not expected here', hint: `look for an extra comma or quote in ${word}` };
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

/** Recognizes whole texts of other formats by their lines. They need not be YAML. Pure. */

const lineOf = (pattern: string) => new RegExp(`^${pattern}`, 'm');
const from = lineOf('FROM[ \\t]+(?:--platform=\\S{1,100}[ \\t]+)?[^\\s:][^\\s]*(?:[ \\t]+AS[ \\t]+\\S+)?[ \\t]*\\r?$');
const instruction = lineOf('(?:RUN|COPY|ADD|WORKDIR|CMD|ENTRYPOINT|EXPOSE|ENV|ARG|USER)[ \\t]+\\S');

/** A Dockerfile, or manifests of Kubernetes in several YAML documents, with the place of the first matching line. */
export function foreignForm(text: string): Explanation | undefined {
  const base = from.exec(text);
  // The content of a file in a configuration is indented, so it does not match.
  if (base && instruction.test(text) && !/^(?:application|services):/m.test(text)) {
    return {
      offset: base.index,
      message: 'this is a Dockerfile, which builds an image',
      hint: 'send the folder that contains it: tar cz . | curl --data-binary @- <server>/startUserDeployment',
    };
  }
  const version = /^apiVersion:[ \t]*\S/m.exec(text);
  if (version && /^kind:[ \t]*\S/m.test(text) && !/^(?:application|services):/m.test(text)) {
    return { offset: version.index, message: kubernetesMessage, hint: kubernetesHint };
  }
  return undefined;
}

export const kubernetesMessage = 'this is a Kubernetes manifest';
export const kubernetesHint = 'a Deployment is a pod here: "name", "image", "servicePorts" and "vars"';
