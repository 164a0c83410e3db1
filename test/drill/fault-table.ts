/** PURE. The table of a fault drill. */

export type FaultResult = {
  fault: string;
  /** Writes that were acknowledged, and of those the ones that are missing afterwards. */
  acknowledged: number;
  lost: number;
  /** From the fault, or from the operator's repair if the fault needs one; null: it never recovered. */
  recoveredMs: number | null;
  /** The message that the operator or the user sees. */
  message: string;
};

/** Nothing is lost, and it has recovered. */
export function hasPassed({ lost, recoveredMs }: FaultResult): boolean {
  return lost === 0 && recoveredMs !== null;
}

/** Returns the faults with a name that contains one of the words; without words, all faults. */
export function choose<T extends { name: string }>(faults: readonly T[], words: readonly string[]): T[] {
  return faults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
}

const widestMessage = 110;

/** One line for each fault, then a summary. */
export function printFaults(results: readonly FaultResult[]): string {
  const rows = results.map(({ fault, acknowledged, lost, recoveredMs, message }) => [
    fault,
    `${lost} of ${acknowledged}`,
    recoveredMs === null ? 'never' : `${(recoveredMs / 1000).toFixed(1)} s`,
    shorten(message),
  ]);
  const all = [['FAULT', 'LOST', 'RECOVERED', 'MESSAGE'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const failed = results.filter((result) => !hasPassed(result)).length;
  return `${lines.join('\n')}\n${results.length} faults, ${failed} failed\n`;
}

function shorten(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > widestMessage ? `${line.slice(0, widestMessage - 1)}…` : line;
}
