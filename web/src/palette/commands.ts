/** What can be done on the page that is shown, beside going to another one. */
import { useEffect, useRef } from 'react';

export type Command = {
  title: string;
  /** What it belongs to, in a word. */
  group: string;
  /** How the keyboard does it without the palette. */
  keys?: string;
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

/** Those in which every word stands; those that begin with the first one come first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ title, group }) => {
    const text = `${title} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ title }: Command) => words.length > 0 && title.toLowerCase().startsWith(words[0]!);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}
