/** All deployments that this person can see, as they are now: those of this browser's tokens, and those of the account. */
import { useCallback, useEffect, useState } from 'react';
import { useVisitor } from '../account/session.ts';
import { type Remembered, tokensToAsk } from '../remembered/list.ts';
import { noteEnd, useRemembered } from '../remembered/remembered.ts';
import type { Answer, Problem } from '../service/ask.ts';
import { reservationsOf } from '../service/calls.ts';
import { untilVisible } from '../service/follow.ts';
import type { Reservation } from '../service/records.ts';

export type Listed = {
  applicationName: string;
  environment: string;
  url: string;
  fate: { kind: 'unknown' } | { kind: 'alive'; reservation: Reservation } | { kind: 'ended'; startedAt: string };
};

export type List = { isLoading: boolean; listed: Listed[]; problem?: Problem };

const leastPauseMs = 4_000;
/** Each token is a question of its own: 30 of them in a minute, a quarter of what the service answers to an address. */
const pausePerQuestionMs = 2_000;

/** Asked again every few seconds while the page is seen; `refresh` asks at once. */
export function useDeployments(): List & { refresh: () => void } {
  const remembered = useRemembered();
  const visitor = useVisitor();
  // What this browser knows is there at once, so that nothing moves when the service has answered.
  const [list, setList] = useState<List>(() => ({ isLoading: true, listed: remembered.map((one) => listedAs(one)) }));
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks at once
  useEffect(() => {
    if (visitor.kind === 'unknown') return undefined;
    const stop = new AbortController();
    void follow(remembered, visitor.kind === 'account', {
      stop: stop.signal,
      onRead: (read) => setList((before) => withKnown(read, before.listed)),
    });
    return () => stop.abort();
  }, [remembered, visitor.kind, round]);
  return { ...list, refresh: useCallback(() => setRound((before) => before + 1), []) };
}

type Following = { stop: AbortSignal; onRead: (list: List) => void };

async function follow(
  remembered: readonly Remembered[],
  isSignedIn: boolean,
  { stop, onRead }: Following,
): Promise<void> {
  while (!stop.aborted) {
    const read = await readAll(remembered, isSignedIn);
    if (stop.aborted) return;
    onRead(read);
    for (const { fate, ...one } of read.listed) if (fate.kind !== 'unknown') noteEnd(one, fate.kind === 'ended');
    // What has ended just now was noted: that begins this anew, with other questions.
    if (stop.aborted) return;
    const questions = tokensToAsk(remembered).length + (isSignedIn ? 1 : 0);
    if (questions === 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.max(leastPauseMs, questions * pausePerQuestionMs)));
    await untilVisible(stop);
  }
}

type ReservationsAnswer = Answer<{ reservedDeployments: Reservation[] }>;

async function readAll(remembered: readonly Remembered[], isSignedIn: boolean): Promise<List> {
  const tokens = tokensToAsk(remembered);
  const [ofAccount, ...ofTokens] = await Promise.all([
    isSignedIn ? reservationsOf() : undefined,
    ...tokens.map((token) => reservationsOf(token)),
  ]);
  const answers = new Map(tokens.map((token, index) => [token, ofTokens[index]!]));
  const listed = [
    ...remembered.map((one) => listedAs(one, answers.get(one.sessionToken))),
    ...(ofAccount?.ok ? ofAccount.value.reservedDeployments.map(asListed) : []),
  ];
  const problems = [ofAccount, ...ofTokens].flatMap((answer) =>
    !answer || answer.ok || isEnded(answer.problem) ? [] : [answer.problem],
  );
  return { isLoading: false, listed: once(listed), ...(problems[0] && { problem: problems[0] }) };
}

/** Where the service has not answered, what it said before stands. */
function withKnown(read: List, before: readonly Listed[]): List {
  if (!read.problem) return read;
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const listed = read.listed.map((one) => (one.fate.kind === 'unknown' ? (known.get(keyOf(one)) ?? one) : one));
  const isListed = new Set(listed.map(keyOf));
  return { ...read, listed: [...listed, ...before.filter((one) => !isListed.has(keyOf(one)))].toSorted(byStart) };
}

/** What this browser has started and the account has claimed is one thing: the first that says it lives has it. */
function once(listed: readonly Listed[]): Listed[] {
  const byKey = new Map<string, Listed>();
  for (const one of listed) if (byKey.get(keyOf(one))?.fate.kind !== 'alive') byKey.set(keyOf(one), one);
  return [...byKey.values()].toSorted(byStart);
}

/** What tells it from all others. */
export function keyOf({ environment, applicationName }: Pick<Listed, 'environment' | 'applicationName'>): string {
  return `${environment}/${applicationName}`;
}

function byStart(a: Listed, b: Listed): number {
  return startOf(b).localeCompare(startOf(a));
}

/** A date-time; empty where it is not known. */
function startOf({ fate }: Listed): string {
  if (fate.kind === 'alive') return fate.reservation.createdAt;
  return fate.kind === 'ended' ? fate.startedAt : '';
}

function asListed(reservation: Reservation): Listed {
  const { applicationName, environment, url } = reservation;
  return { applicationName, environment, url, fate: { kind: 'alive', reservation } };
}

function listedAs(one: Remembered, answer?: ReservationsAnswer): Listed {
  const { applicationName, environment, url, startedAt } = one;
  const ended = { kind: 'ended', startedAt } as const;
  const known = { applicationName, environment, url };
  if (answer ? !answer.ok && isEnded(answer.problem) : one.hasEnded) return { ...known, fate: ended };
  // A service that does not answer has not ended anything.
  if (!answer?.ok) return { ...known, fate: { kind: 'unknown' } };
  const reservation = answer.value.reservedDeployments.find((each) => keyOf(each) === keyOf(one));
  return { ...known, fate: reservation ? { kind: 'alive', reservation } : ended };
}

function isEnded({ code }: Problem): boolean {
  return code === 'session_not_found';
}
