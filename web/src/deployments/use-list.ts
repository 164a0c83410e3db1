/**
 * All deployments that the user can access, with their current states: those of this browser's tokens, and those of the
 * account.
 */
import { useCallback, useEffect, useState } from 'react';
import { useVisitor } from '../account/session.ts';
import { mayRun, type Remembered } from '../remembered/list.ts';
import { recordEnd, useRemembered } from '../remembered/remembered.ts';
import { reservationsOf, statusOf } from '../service/calls.ts';
import { untilVisible } from '../service/follow.ts';
import type { Deployment, Reservation } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';

export type Listed = {
  applicationName: string;
  environment: string;
  url: string;
  fate:
    | { kind: 'unknown' }
    | { kind: 'alive'; reservation: Reservation }
    | { kind: 'ended'; startedAt: string; restorableUntil?: string };
};

export type List = { isLoading: boolean; listed: Listed[]; problem?: Problem };

const minPauseMs = 4_000;
/** Each deployment needs a request: 30 per minute are a quarter of the rate limit of an address. */
const pausePerQuestionMs = 2_000;

/** Requested every few seconds while the page is visible; `refresh` requests at once. */
export function useDeployments(): List & { refresh: () => void } {
  const remembered = useRemembered();
  const visitor = useVisitor();
  // Deployments that this browser remembers are shown at once, so that nothing moves when the service has answered.
  const [list, setList] = useState<List>(() => ({ isLoading: true, listed: remembered.map((one) => listedAs(one)) }));
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round requests at once
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
  // Ended deployments that may have been restored elsewhere are requested once, not every few seconds.
  let requested = remembered.filter((one) => mayRun(one, Date.now()));
  for (; !stop.aborted; requested = remembered.filter(({ hasEnded }) => !hasEnded)) {
    const read = await readAll(remembered, requested, isSignedIn);
    if (stop.aborted) return;
    onRead(read);
    for (const { fate, ...one } of read.listed) {
      if (fate.kind === 'alive') recordEnd(one, false);
      if (fate.kind === 'ended') recordEnd(one, true, fate.restorableUntil);
    }
    // The first answer may have marked deployments as ended. That starts the effect again with fewer requests.
    if (stop.aborted) return;
    const questions = remembered.filter(({ hasEnded }) => !hasEnded).length + (isSignedIn ? 1 : 0);
    if (questions === 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.max(minPauseMs, questions * pausePerQuestionMs)));
    await untilVisible(stop);
  }
}

/** Requests the status of each deployment. Unlike the list of its session, it is also returned for ended ones. */
async function readAll(
  remembered: readonly Remembered[],
  requested: readonly Remembered[],
  isSignedIn: boolean,
): Promise<List> {
  const [ofAccount, ...ofTokens] = await Promise.all([
    isSignedIn ? reservationsOf() : undefined,
    ...requested.map((one) => statusOf(one)),
  ]);
  const answers = new Map(requested.map((one, index) => [one, ofTokens[index]!]));
  const listed = [
    ...remembered.map((one) => listedAs(one, answers.get(one))),
    ...(ofAccount?.ok ? ofAccount.value.reservedDeployments.map(asListed) : []),
  ];
  const problems = [ofAccount, ...ofTokens].flatMap((answer) =>
    !answer || answer.ok || isEnded(answer.problem) ? [] : [answer.problem],
  );
  return { isLoading: false, listed: once(listed), ...(problems[0] && { problem: problems[0] }) };
}

/** If the service has not responded, the previous values are shown. */
function withKnown(read: List, before: readonly Listed[]): List {
  if (!read.problem) return read;
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const listed = read.listed.map((one) => (one.fate.kind === 'unknown' ? (known.get(keyOf(one)) ?? one) : one));
  const isListed = new Set(listed.map(keyOf));
  return { ...read, listed: [...listed, ...before.filter((one) => !isListed.has(keyOf(one)))].toSorted(byStart) };
}

/** A deployment that this browser has started and the account has claimed is listed once, alive if either entry is. */
function once(listed: readonly Listed[]): Listed[] {
  const byKey = new Map<string, Listed>();
  for (const one of listed) if (byKey.get(keyOf(one))?.fate.kind !== 'alive') byKey.set(keyOf(one), one);
  return [...byKey.values()].toSorted(byStart);
}

/** Identifies a deployment in the list. */
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

function listedAs(one: Remembered, answer?: Answer<Deployment>): Listed {
  const { applicationName, environment, url, startedAt, restorableUntil } = one;
  const known = { applicationName, environment, url };
  const ended = (until: string | undefined): Listed => {
    return { ...known, fate: { kind: 'ended', startedAt, ...(until !== undefined && { restorableUntil: until }) } };
  };
  if (answer?.ok) {
    const { value } = answer;
    if (value.restorableUntil !== undefined) return ended(value.restorableUntil);
    if (value.status.state === 'expired') return ended('');
    return { ...known, fate: { kind: 'alive', reservation: value } };
  }
  if (answer && isEnded(answer.problem)) return ended('');
  // A failed request does not mean that the deployment has ended.
  return one.hasEnded ? ended(restorableUntil) : { ...known, fate: { kind: 'unknown' } };
}

function isEnded({ code }: Problem): boolean {
  return code === 'session_not_found' || code === 'application_not_found';
}
