/** What can be done on the page that is shown, beside going to another one. */
import { useEffect, useRef } from 'react';
import { findByWords } from '../../../src/config/templates/find-by-words.ts';

export type Command = {
  title: string;
  /** What it belongs to, in a word. */
  group: string;
  /** By which it is found too, beside its title. */
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

/** What was shown last comes first: the page before what surrounds it. */
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
