/** The end of a command in a container, by the engine's events. */
import { createInterface } from 'node:readline';
import type Docker from 'dockerode';

/**
 * Aborts when the command has ended or its events end: its container ended, the connection broke, or `signal` was
 * aborted. Call it before the command starts.
 */
export async function watchEnd(
  docker: Docker,
  { containerId, execId }: { containerId: string; execId: string },
  signal: AbortSignal,
): Promise<AbortSignal> {
  const over = new AbortController();
  const filters = { type: ['container' as const], container: [containerId], event: ['exec_die', 'die'] };
  const stream = await docker.getEvents({ filters, abortSignal: signal });
  const lines = createInterface({ input: stream });
  for (const event of ['close', 'error'] as const) lines.on(event, () => over.abort());
  lines.on('line', (line) => {
    if (isEndOf(line, execId)) over.abort();
  });
  return over.signal;
}

/** PURE. Whether an event reports the end of a command or of its container. False if the line is not an event. */
export function isEndOf(line: string, execId: string): boolean {
  try {
    const event: { Action?: string; Actor?: { Attributes?: Record<string, string> } } = JSON.parse(line);
    return event.Action === 'die' || (event.Action === 'exec_die' && event.Actor?.Attributes?.execID === execId);
  } catch {
    return false;
  }
}
