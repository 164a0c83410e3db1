/** The output of the pods, both new and earlier lines. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogLine } from '../../../src/client/client.ts';
import { type Message, messagesOf } from '../../../src/client/follow.ts';
import { problemOf } from '../../../src/client/request.ts';
import type { Operations } from '../../../src/client/service-types.ts';
import { showToast } from '../parts/toast.tsx';
import { queryOf, type Target } from '../service/calls.ts';
import { type Connection, follow } from '../service/follow.ts';
import { type Answer, open, type Problem } from '../service/request.ts';
import { addLines, type Filter, type Line, linesBefore, maxEarlierLines, withoutCodes, withoutGaps } from './lines.ts';

export type Logs = { lines: readonly Line[]; connection: Connection; problem?: Problem };

/** Initial lines of each container. If fewer arrive, no earlier ones exist. */
export const firstLines = 500;
/** The maximum number of lines per container that the service returns. */
const maxLines = 1_000;
/** The search starts after a pause in typing. */
const typingMs = 300;

const stream = { Accept: 'text/event-stream' };

export function useLogs(target: Target): Logs {
  const { applicationName, environment, sessionToken } = target;
  const [logs, setLogs] = useState<Logs>({ lines: [], connection: 'connecting' });
  const waiting = useRef<LogLine[]>([]);

  useEffect(() => {
    const requested = { applicationName, environment, sessionToken };
    let since: string | undefined;
    let frame = 0;
    // A pod may write thousands of lines a second. The page is updated once a frame.
    const show = () => {
      frame = 0;
      const come = waiting.current;
      waiting.current = [];
      setLogs((before) => ({ ...before, lines: addLines(before.lines, come) }));
    };
    const take = (come: readonly LogLine[]) => {
      since = come.at(-1)?.at ?? since;
      waiting.current.push(...come);
      frame ||= requestAnimationFrame(show);
    };
    const stop = follow({
      async open(signal) {
        if (since === undefined) {
          const first = await readLines(requested, { tail: String(firstLines) }, signal);
          if (first.ok) take(withoutGaps(first.value, firstLines));
        }
        // A stream begins with known lines, which are recognized.
        cancelAnimationFrame(frame);
        show();
        const from = since === undefined ? { tail: String(firstLines) } : { tail: String(maxLines), since };
        return await open('getDeploymentLogs', {
          query: { ...queryOf(requested), follow: 'true', ...from },
          token: sessionToken,
          signal,
          headers: stream,
        });
      },
      onMessages: (messages) => take(messages.flatMap((message) => readLine(message) ?? [])),
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

export type Earlier = {
  lines: readonly Line[];
  /** `full`: the page shows its maximum number of lines. */
  state: 'idle' | 'loading' | 'at-start' | 'full';
  /** Loads the lines before the first shown line. */
  load: (shown: readonly Line[]) => void;
  /** Readers who follow the newest lines do not need them. */
  drop: () => void;
};

const noEarlier = { lines: [], state: 'idle' } as const;

/** Loads lines before the followed ones, of the selected pod, revision and stream. */
export function useEarlier(target: Target, { pod, revision, stream }: Chosen): Earlier {
  const [earlier, setEarlier] = useState<Pick<Earlier, 'lines' | 'state'>>(noEarlier);
  const choice = `${pod} ${revision} ${stream}`;
  const present = useRef(choice);
  // The earlier lines belong to the previous choice.
  useEffect(() => {
    present.current = choice;
    setEarlier(noEarlier);
  }, [choice]);
  const load = async (shown: readonly Line[]) => {
    setEarlier((before) => ({ ...before, state: 'loading' }));
    const until = shown[0]?.at ?? '';
    const answer = await readLines(target, { ...chosen({ pod, revision, stream }), until, tail: String(maxLines) });
    if (present.current !== choice) return;
    const news = answer.ok ? linesBefore(shown, withoutGaps(answer.value, maxLines)) : [];
    if (!answer.ok) showToast(answer.problem.error);
    setEarlier(({ lines }) => {
      const all = [...news, ...lines];
      const isAtStart = answer.ok && news.length === 0;
      return { lines: all, state: isAtStart ? 'at-start' : all.length >= maxEarlierLines ? 'full' : 'idle' };
    });
  };
  return { ...earlier, load: (shown) => void load(shown), drop: useCallback(() => setEarlier(noEarlier), []) };
}

export type Found = { lines: readonly Line[]; isLooking: boolean; problem?: Problem };

const nothing: Found = { lines: [], isLooking: false };

/** The results of a search in all stored lines, requested when the user pauses. */
export function useFound(target: Target, { pod, revision, stream, search }: Filter): Found {
  const [found, setFound] = useState<Found>(nothing);
  useEffect(() => {
    if (search === '') return setFound(nothing);
    const stop = new AbortController();
    setFound({ lines: [], isLooking: true });
    const timer = setTimeout(async () => {
      const answer = await readLines(
        target,
        { ...chosen({ pod, revision, stream }), search, tail: String(maxLines) },
        stop.signal,
      );
      if (stop.signal.aborted) return;
      setFound({
        lines: answer.ok ? addLines([], answer.value) : [],
        isLooking: false,
        ...(!answer.ok && { problem: answer.problem }),
      });
    }, typingMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [target, pod, revision, stream, search]);
  return found;
}

type Chosen = Omit<Filter, 'search'>;
type Query = Omit<Operations['getDeploymentLogs']['query'], 'applicationName'>;

function chosen({ pod, revision, stream }: Chosen): Query {
  return {
    ...(pod !== '' && { pod }),
    ...(revision !== 0 && { revision: String(revision) }),
    ...(stream !== '' && { stream }),
  };
}

async function readLines(target: Target, choice: Query, signal?: AbortSignal): Promise<Answer<LogLine[]>> {
  const query = { ...queryOf(target), ...choice };
  const answer = await open('getDeploymentLogs', { query, token: target.sessionToken, signal, headers: stream });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status >= 400 || !body)
    return { ok: false, problem: problemOf(answer.value, await answer.value.json().catch(() => undefined)) };
  const lines: LogLine[] = [];
  try {
    for await (const messages of messagesOf(body))
      lines.push(...messages.flatMap((message) => readLine(message) ?? []));
  } catch {
    // The connection broke, or is not needed.
    return { ok: false, problem: { status: 0, code: 'unreachable', error: 'The connection was lost.' } };
  }
  return { ok: true, value: lines };
}

function readLine({ data }: Message): LogLine | undefined {
  try {
    const { at, pod, revision, stream, text } = JSON.parse(data) as LogLine;
    return { at, pod, revision, ...(stream && { stream }), text: withoutCodes(text) };
  } catch {
    // Not of this service's making.
    return undefined;
  }
}
