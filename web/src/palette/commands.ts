/** Actions of the current page, other than going to another page. */
import { useEffect, useRef } from 'react';
import { findByWords } from '../../../src/config/templates/search-templates.ts';

export type Command = {
  title: string;
  /** Its group, in one word. */
  group: string;
  /** Search words in addition to the title. */
  words?: string;
  /** How the keyboard does it without the palette. */
  keys?: string;
  /** Offered on every page: it comes after what is for the page that is shown. */
  isEverywhere?: boolean;
  act: () => void;
};

const offered = new Set<() => readonly Command[]>();

/** Offers these as long as the component is shown. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const own = () => latest.current;
    offered.add(own);
    return () => {
      offered.delete(own);
    };
  }, []);
}

/** Commands shown last come first: the page before its frame. */
export function offeredCommands(): Command[] {
  return Array.from(offered, (own) => own())
    .reverse()
    .flat();
}

export function matching(commands: readonly Command[], typed: string): Command[] {
  return findByWords(commands, typed, ({ title, group, words = '' }) => ({
    text: `${title} ${group} ${words}`,
    names: [title],
  }));
}
