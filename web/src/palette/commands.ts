/** Actions of the current page, other than navigation. */
import { useEffect, useRef } from 'react';
import { findByWords } from '../../../src/config/templates/search-templates.ts';

export type Command = {
  title: string;
  /** The group, in one word. */
  group: string;
  /** Search words in addition to the title. */
  words?: string;
  /** How the keyboard does it without the palette. */
  keys?: string;
  /** Offered on every page, after the commands of the current page. */
  isEverywhere?: boolean;
  act: () => void;
};

const offered = new Set<() => readonly Command[]>();

/** Offers these commands while the component is shown. */
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

/** Returns the commands in reverse order of their components: the page before its frame. */
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
