/** A deployment as it is now: its status, and its events as they come. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { queryOf, statusOf, type Target } from '../service/calls.ts';
import { follow } from '../service/follow.ts';
import { open } from '../service/request.ts';
import { endOf, isRestore } from './event-text.ts';
import { addEvents, callsForStatus, emptyFeed, type Feed, readEvent } from './feed.ts';

/** Events of one change arrive together, so one request is enough. */
const settleMs = 80;
/** Pods that start and stop cause many events, and each request counts toward the rate limit of the address. */
const podSettleMs = 400;
/** A pod that has been well for a while is no longer degraded, and no event reports that. */
const decayMs = 60_000;

/** `restart`: for one that has ended and was restored. */
export function useFeed(target: Target): Feed & { refresh: () => void; restart: () => void } {
  const { applicationName, environment, sessionToken } = target;
  const [feed, setFeed] = useState<Feed>(emptyFeed);
  const [round, setRound] = useState(0);
  const ask = useRef<() => void>(() => {});

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads everything again
  useEffect(() => {
    const requested = { applicationName, environment, sessionToken };
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let isOver = false;
    let hasBroken = false;

    const readStatus = async () => {
      const answer = await statusOf(requested, stop.signal);
      if (stop.signal.aborted) return;
      setFeed(({ problem: _, ...before }) =>
        answer.ok ? { ...before, deployment: answer.value } : { ...before, problem: answer.problem },
      );
    };
    ask.current = () => void readStatus();
    void readStatus();

    const stopFollowing = follow({
      open: (signal) =>
        open('getDeploymentEvents', {
          query: queryOf(requested),
          token: sessionToken,
          signal,
          headers: { Accept: 'text/event-stream', ...(last > 0 && { 'Last-Event-ID': String(last) }) },
        }),
      onMessages(messages) {
        const events = messages.flatMap((message) => readEvent(message) ?? []);
        last = Math.max(last, ...events.map(({ sequence }) => sequence));
        for (const event of events) isOver = endOf(event) !== undefined || (isOver && !isRestore(event));
        setFeed((before) => addEvents(before, events));
        if (!events.some(callsForStatus)) return;
        const isUrgent = events.some(({ kind }) => kind !== 'pod' && callsForStatus({ kind }));
        if (timer !== undefined && !isUrgent) return;
        clearTimeout(timer);
        timer = setTimeout(
          () => {
            timer = undefined;
            void readStatus();
          },
          isUrgent ? settleMs : podSettleMs,
        );
      },
      onConnection(connection) {
        if (connection === 'open' && hasBroken) void readStatus();
        hasBroken = connection === 'broken' || (connection === 'connecting' && hasBroken);
        setFeed((before) => ({ ...before, connection }));
      },
      onRefusal: (problem) => setFeed((before) => ({ ...before, problem })),
      isOver: () => isOver,
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      stopFollowing();
    };
  }, [applicationName, environment, sessionToken, round]);

  const isDegraded = feed.deployment?.status.health === 'degraded';
  useEffect(() => {
    if (!isDegraded) return undefined;
    const timer = setInterval(() => ask.current(), decayMs);
    return () => clearInterval(timer);
  }, [isDegraded]);

  const refresh = useCallback(() => ask.current(), []);
  const restart = useCallback(() => {
    setFeed(emptyFeed);
    setRound((before) => before + 1);
  }, []);
  return { ...feed, refresh, restart };
}
