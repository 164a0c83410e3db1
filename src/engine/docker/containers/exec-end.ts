/** The end of a command in a container, by the engine's events. */
import { createInterface } from 'node:readline';
import type Docker from 'dockerode';

/**
 * Aborts when the command has ended, or when nothing more is told of it: its container has ended, the connection broke,
 * `signal` was aborted. To be called before the command is started.
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

/** PURE. Whether an event says that a command has ended, or its container; false for what is no event. */
export function isEndOf(line: string, execId: string): boolean {
  try {
    const event: { Action?: string; Actor?: { Attributes?: Record<string, string> } } = JSON.parse(line);
    return event.Action === 'die' || (event.Action === 'exec_die' && event.Actor?.Attributes?.execID === execId);
  } catch {
    return false;
  }
}
