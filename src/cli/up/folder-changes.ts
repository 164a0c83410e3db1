/** Waits for a change in a folder, and then until the changes stop. */
import { watch } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** An editor that saves, and a checkout, change much at once. */
const calmMs = 300;

/** Folders that change automatically, or because of this command. */
const ignored = new Set(['.berth', '.git', 'node_modules']);

/** @returns the path of the first change; undefined when `signal` aborts. */
export async function untilChanged(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let first: string | undefined;
  let changedAt = 0;
  try {
    for await (const { filename } of watch(folder, { recursive: true, signal: either })) {
      if (filename === null || filename.split(/[\\/]/).some((part) => ignored.has(part))) continue;
      changedAt = performance.now();
      if (first !== undefined) continue;
      first = filename;
      void untilCalm().then(() => stop.abort());
    }
  } catch (error) {
    if (!either.aborted) throw error;
  }
  return signal.aborted ? undefined : first;

  async function untilCalm(): Promise<void> {
    while (performance.now() - changedAt < calmMs) await delay(calmMs / 3);
  }
}
