/** Completion and explanation from the schema of the configuration. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { EditorState, Extension } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { cursorAt } from './cursor.ts';
import { type Proposal, plain, podNamesOf, proposalsAt } from './proposals.ts';
import { composeSchema, describedAt, isComposeText, type Schema, typeOf } from './schema.ts';

/** `load` requests the schema from the service. Without a schema, the editor still edits. */
export function assistance(load: () => Promise<Schema | undefined>): Extension {
  let schema: Promise<Schema | undefined> | undefined;
  const schemaFor = async (state: EditorState): Promise<Schema | undefined> => {
    if (isComposeText(state.doc.toString())) return composeSchema;
    schema ??= load();
    return await schema;
  };
  return [
    autocompletion({
      override: [async (context) => completionsAt(context, await schemaFor(context.state))],
      // A key that was chosen has a value that can be chosen.
      activateOnCompletion: ({ type }) => type === 'property',
      icons: false,
    }),
    hoverTooltip(async (view, at) => explainAt(view, at, await schemaFor(view.state)), { hoverTime: 350 }),
  ];
}

function cursorOf(state: EditorState, at: number) {
  const line = state.doc.lineAt(at);
  const lines = state.doc.toJSON();
  return cursorAt(lines, line.number - 1, at - line.from);
}

function completionsAt(
  { state, pos, explicit }: CompletionContext,
  schema: Schema | undefined,
): CompletionResult | null {
  const cursor = cursorOf(state, pos);
  if (!schema || cursor.kind === 'none') return null;
  // The name of an image is one value. In other values, the last word is completed: `http://d`, `["node", "s`.
  const isWhole = cursor.kind === 'key' || cursor.path.at(-1) === 'image';
  const typed = isWhole ? cursor.typed : /[\w.<%-]*$/.exec(cursor.typed)![0];
  if (!explicit && typed === '' && cursor.kind === 'key') return null;
  const proposals = proposalsAt(schema, cursor, podNamesOf(state.doc.toString()));
  if (proposals.length === 0) return null;
  const indent = indentAt(state, pos);
  return {
    from: pos - typed.length,
    options: proposals.map((each) => toCompletion(each, indent)),
    validFor: isWhole ? /^[\w.<%:/@-]*$/ : /^[\w.<%-]*$/,
  };
}

function toCompletion({ label, kind, detail, says, text, isFirst }: Proposal, indent: string): Completion {
  return {
    label,
    type: kind === 'key' ? 'property' : 'constant',
    apply: text.replaceAll('\n', `\n${indent}  `),
    ...(detail !== undefined && { detail }),
    ...(says !== undefined && { info: says }),
    ...(isFirst && { boost: 10 }),
  };
}

/** Returns the indentation of the key on this line. A dash before it counts as a space. */
function indentAt(state: EditorState, at: number): string {
  return ' '.repeat(/^[\s-]*/.exec(state.doc.lineAt(at).text)![0].length);
}

/** Explains the key below the pointer: its purpose, its values and an example. */
function explainAt(view: EditorView, at: number, schema: Schema | undefined): Tooltip | null {
  const { text, from } = view.state.doc.lineAt(at);
  const word = wordAt(text, at - from);
  if (!schema || !word || !/^\s*:/.test(text.slice(word.end))) return null;
  const cursor = cursorOf(view.state, from + word.end);
  const described = cursor.kind === 'key' ? describedAt(schema, [...cursor.path, word.text]) : undefined;
  if (described?.description === undefined) return null;
  const { description } = described;
  return {
    pos: from + word.start,
    end: from + word.end,
    above: true,
    create: () => ({ dom: explanation(word.text, plain(description), described) }),
  };
}

function explanation(key: string, says: string, schema: Schema): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-explanation';
  const [example] = schema.examples ?? [];
  const lines = [
    ['strong', `${key}${typeOf(schema) ? ` · ${typeOf(schema)}` : ''}`],
    ['span', says],
    ...(example === undefined ? [] : [['code', `for example ${print(example)}`]]),
  ];
  for (const [name, text] of lines) {
    const line = document.createElement(name!);
    line.textContent = text!;
    element.append(line);
  }
  return element;
}

function print(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example);
}

function wordAt(text: string, at: number): { text: string; start: number; end: number } | undefined {
  const start = at - /[\w-]*$/.exec(text.slice(0, at))![0].length;
  const end = at + /^[\w-]*/.exec(text.slice(at))![0].length;
  return end > start ? { text: text.slice(start, end), start, end } : undefined;
}
