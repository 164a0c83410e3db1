/** The line at which the editor opens, as the address of the page says it: `?line=12`, or that of a pod, `?pod=web`. */
import { useEffect, useState } from 'react';

/** @returns undefined if the address names no line, and before the text is loaded. */
export function useOpenAt(text: string): number | undefined {
  const [line, setLine] = useState(() => lineIn(location.search));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, of the text with which the page opens
  useEffect(() => {
    const pod = new URLSearchParams(location.search).get('pod');
    history.replaceState(history.state, '', location.pathname);
    if (pod === null) return;
    void import('../pod-edits/pod-edits.ts').then(({ lineOf }) => setLine(lineOf(text, pod)));
  }, []);
  return line;
}

function lineIn(query: string): number | undefined {
  const line = Number(new URLSearchParams(query).get('line'));
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}
