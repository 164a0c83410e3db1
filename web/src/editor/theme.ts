/** The editor's theme: uses the colors of the page by name, so that light and dark need no separate themes. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'transparent', color: 'var(--ink)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overscrollBehavior: 'contain' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.9rem 0 0.35rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  // Opaque, because scrolled text passes below it.
  '.cm-gutters': { backgroundColor: 'var(--surface)', border: 'none', color: 'var(--soft)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.6em', padding: '0 0.4rem 0 0.4rem' },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0.15em 0 0 0.15rem' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '&:not(.cm-focused) .cm-activeLine, &:not(.cm-focused) .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--sea) 26%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--sea-ground)',
    outline: '1px solid var(--sea)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--alarm) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warn) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker': { width: '0.7em', height: '0.7em', marginTop: '0.35em', borderRadius: '50%', content: '""' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--alarm)' },
  '.cm-lint-marker-warning': {
    content: '""',
    backgroundColor: 'var(--warn)',
    borderRadius: '2px',
    transform: 'rotate(45deg) scale(0.85)',
  },
  '.cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--sea) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-info': {
    content: '""',
    backgroundColor: 'transparent',
    border: '2px solid var(--sea)',
    boxSizing: 'border-box',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    maxWidth: 'min(28rem, calc(100vw - 2rem))',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--tiny)',
    maxHeight: '16rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.3rem 0.75rem', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--sea)', color: 'var(--on-sea)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.6rem 0.8rem', font: 'var(--text)', fontSize: 'var(--small)' },
  '.cm-explanation': {
    padding: '0.6rem 0.8rem',
    font: 'var(--text)',
    fontSize: 'var(--small)',
    display: 'grid',
    gap: '0.3rem',
  },
  '.cm-explanation code': { color: 'var(--soft)' },
  '.cm-tooltip-lint': { overflow: 'hidden' },
  '.cm-diagnostic': {
    padding: '0.55rem 0.8rem',
    borderLeft: '3px solid',
    font: 'var(--text)',
    fontSize: 'var(--small)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--alarm)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnosticAction': {
    margin: '0.4rem 0 0',
    padding: '0.2rem 0.6rem',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--sea)',
    color: 'var(--on-sea)',
    font: 'inherit',
    fontWeight: '560',
  },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.find-panel': { display: 'grid', gap: '0.4rem', padding: '0.5rem 0.75rem', font: 'var(--text)' },
  '.find-row': { display: 'flex', alignItems: 'center', gap: '0.4rem' },
  '.find-row .input': { flex: '1', minWidth: '0', maxWidth: '22rem', fontFamily: 'var(--mono)' },
  '.find-case': { display: 'inline-flex', alignItems: 'center', gap: '0.35rem', fontSize: 'var(--small)' },
  '.find-case input': { accentColor: 'var(--sea)' },
  '.find-count': { marginInlineStart: '0.5rem', color: 'var(--soft)', fontSize: 'var(--small)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-ground)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--warn)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--sea-ground)', outline: '1px solid var(--line)' },
  '.cm-foldPlaceholder': { border: 'none', backgroundColor: 'var(--hover)', color: 'var(--soft)', padding: '0 0.4rem' },
  // The comparison of an update with what runs.
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ready-ground)' },
  // Underlined instead of a background color, so that text of every color stays legible.
  '.cm-changedText, .cm-insertedLine .cm-changedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px var(--ready)',
  },
  '.cm-deletedChunk': { backgroundColor: 'var(--alarm-ground)', paddingLeft: '0.35rem' },
  '.cm-deletedChunk .cm-deletedText, .cm-deletedLine del': { background: 'none', textDecoration: 'none' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--soft)',
    padding: '0.3rem 0.9rem',
    fontFamily: 'var(--mono)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--sea)' },
  { tag: [tags.comment, tags.meta], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warn)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--soft)' },
  { tag: [tags.labelName, tags.typeName], color: 'var(--ready)' },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(colours)];
