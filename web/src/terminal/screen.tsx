/** A terminal on the page. Its library is large, and loaded on demand. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'react';
import type { Target } from '../service/calls.ts';
import { type Connection, type End, openTerminal } from './connection.ts';
import '@xterm/xterm/css/xterm.css';

/** Dark by day too: programs choose their colours for that. */
const colours = {
  background: '#0e141a',
  foreground: '#e7edf2',
  cursor: '#6bbdd8',
  selectionBackground: '#2f5a6b',
};

/** Maximum output that waits to be drawn. Endless faster output is not drawn in full. */
const maxWaitingBytes = 4 * 2 ** 20;

type ScreenProps = {
  target: Target;
  pod: string;
  /** The output stays. */
  isOver: boolean;
  onEnd: (end: End) => void;
  /** The keys go elsewhere from now on. */
  onLeave: () => void;
};

export default function Screen({ target, pod, isOver, onEnd, onLeave }: ScreenProps) {
  const place = useRef<HTMLDivElement>(null);
  const connection = useRef<Connection>(undefined);
  const reported = useRef({ onEnd, onLeave });
  reported.current = { onEnd, onLeave };

  // biome-ignore lint/correctness/useExhaustiveDependencies: another target or pod is another terminal, by its key
  useEffect(() => {
    const terminal = new Terminal({
      theme: colours,
      fontSize: 13,
      lineHeight: 1.25,
      scrollback: 5_000,
      minimumContrastRatio: 4.5,
      fontFamily: getComputedStyle(document.body).getPropertyValue('--mono'),
      documentOverride: styledDocument(),
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    openMarked(terminal, place.current!);
    fit.fit();
    let waiting = 0;
    let isSkipping = false;
    const write = (bytes: Uint8Array) => {
      if (waiting > maxWaitingBytes) {
        isSkipping = true;
        return;
      }
      if (isSkipping) terminal.write('\r\n[part of the output is left out]\r\n');
      isSkipping = false;
      waiting += bytes.length;
      terminal.write(bytes, () => {
        waiting -= bytes.length;
      });
    };
    const opened = openTerminal(target, pod, sizeOf(terminal), {
      onOutput: write,
      onOpen: () => terminal.focus(),
      onEnd: (end) => reported.current.onEnd(end),
    });
    connection.current = opened;
    terminal.onData(opened.type);
    terminal.onResize(() => opened.resize(sizeOf(terminal)));
    terminal.attachCustomKeyEventHandler((event) => keyGoesTo(terminal, event, () => reported.current.onLeave()));
    const watching = new ResizeObserver(() => fit.fit());
    watching.observe(place.current!);
    return () => {
      watching.disconnect();
      opened.close();
      terminal.dispose();
    };
  }, []);

  useEffect(() => {
    if (isOver) connection.current?.close();
  }, [isOver]);

  return <div className="screen" ref={place} />;
}

/**
 * Returns whether the terminal receives the key. Because programs get Tab, another key leaves the terminal, and
 * selected text can be copied.
 */
function keyGoesTo(terminal: Terminal, event: KeyboardEvent, leave: () => void): boolean {
  if (event.key === 'F6') {
    if (event.type === 'keydown') leave();
    event.preventDefault();
    return false;
  }
  const isCopy = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c';
  return !(isCopy && terminal.hasSelection());
}

function sizeOf({ cols, rows }: Terminal) {
  return { columns: Math.min(cols, 1_000), rows: Math.min(rows, 1_000) };
}

/**
 * The page's policy applies only marked style sheets, and no style attributes. The library creates both: the sheets are
 * marked here, and the attributes become properties, which the policy allows.
 */
function styledDocument(): Document {
  const nonce = nonceOfPage();
  return new Proxy(document, {
    get(page, name) {
      if (name === 'createElement') return (tag: string) => styled(page.createElement(tag), nonce);
      const found: unknown = Reflect.get(page, name, page);
      return typeof found === 'function' ? found.bind(page) : found;
    },
  });
}

/** While it opens, the library creates elements of the page's document, even if it was given another one. */
function openMarked(terminal: Terminal, place: HTMLElement): void {
  const nonce = nonceOfPage();
  const create = Document.prototype.createElement;
  document.createElement = (tag: string) => styled(create.call(document, tag), nonce);
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

function styled(element: HTMLElement, nonce: string): HTMLElement {
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  if (element instanceof HTMLSpanElement)
    element.setAttribute = (name, value) => {
      if (name === 'style') element.style.cssText = value;
      else Element.prototype.setAttribute.call(element, name, value);
    };
  return element;
}

function nonceOfPage(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? '';
}
