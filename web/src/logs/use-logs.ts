/** What the pods write, as it comes. */
import { useEffect, useRef, useState } from 'react';
import type { Message } from '../../../src/client/server-sent.ts';
import type { Problem } from '../service/ask.ts';
import { open } from '../service/ask.ts';
import { queryOf, type Target } from '../service/calls.ts';
import { type Connection, follow } from '../service/follow.ts';
import { addLines, type Line, type Written, withoutCodes } from './lines.ts';

export type Logs = { lines: readonly Line[]; connection: Connection; problem?: Problem };

/** So many of each pod at first. */
const tail = '500';

export function useLogs(target: Target): Logs {
  const { applicationName, environment, sessionToken } = target;
  const [logs, setLogs] = useState<Logs>({ lines: [], connection: 'connecting' });
  const waiting = useRef<Written[]>([]);

  useEffect(() => {
    const asked = { applicationName, environment, sessionToken };
    let since: string | undefined;
    let frame = 0;
    // A pod may write thousands of lines a second: once a frame is as often as anybody can see.
    const show = () => {
      frame = 0;
      const come = waiting.current;
      waiting.current = [];
      setLogs((before) => ({ ...before, lines: addLines(before.lines, come) }));
    };
    const stop = follow({
      open: (signal) =>
        open('getDeploymentLogs', {
          query: { ...queryOf(asked), follow: 'true', ...(since === undefined ? { tail } : { tail: '1000', since }) },
          ...{ token: sessionToken, signal, headers: { Accept: 'text/event-stream' } },
        }),
      onMessages(messages) {
        const come = messages.flatMap((message) => readLine(message) ?? []);
        since = come.at(-1)?.at ?? since;
        waiting.current.push(...come);
        frame ||= requestAnimationFrame(show);
      },
      onConnection: (connection) => setLogs((before) => ({ ...before, connection })),
      onRefusal: (problem) => setLogs((before) => ({ ...before, problem })),
      isOver: () => false,
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [applicationName, environment, sessionToken]);

  return logs;
}

function readLine({ data }: Message): Written | undefined {
  try {
    const { at, pod, revision, text } = JSON.parse(data) as Written;
    return { at, pod, revision, text: withoutCodes(text) };
  } catch {
    // Not of this service's making.
    return undefined;
  }
}
