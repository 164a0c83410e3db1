/** All deployments that this person can see: those of this browser's tokens, and those of the account. */
import { useEffect, useState } from 'react';
import { useVisitor } from '../account/session.ts';
import type { Remembered } from '../remembered/list.ts';
import { useRemembered } from '../remembered/remembered.ts';
import type { Answer, Problem } from '../service/ask.ts';
import { reservationsOf } from '../service/calls.ts';
import type { Reservation } from '../service/records.ts';

export type Listed = {
  applicationName: string;
  environment: string;
  url: string;
  fate: { kind: 'unknown' } | { kind: 'alive'; reservation: Reservation } | { kind: 'ended'; startedAt: string };
};

export type List = { isLoading: boolean; listed: Listed[]; problem?: Problem };

export function useDeployments(): List {
  const remembered = useRemembered();
  const visitor = useVisitor();
  // What this browser knows is there at once, so that nothing moves when the service has answered.
  const [list, setList] = useState<List>(() => ({ isLoading: true, listed: remembered.map((one) => listedAs(one)) }));
  useEffect(() => {
    if (visitor.kind === 'unknown') return undefined;
    let isWanted = true;
    void readAll(remembered, visitor.kind === 'account').then((read) => isWanted && setList(read));
    return () => {
      isWanted = false;
    };
  }, [remembered, visitor.kind]);
  return list;
}

type ReservationsAnswer = Answer<{ reservedDeployments: Reservation[] }>;

async function readAll(remembered: readonly Remembered[], isSignedIn: boolean): Promise<List> {
  const tokens = [...new Set(remembered.map(({ sessionToken }) => sessionToken))];
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

/** What this browser has started and the account has claimed is one thing: the first that says it lives has it. */
function once(listed: readonly Listed[]): Listed[] {
  const byKey = new Map<string, Listed>();
  for (const one of listed) {
    const key = `${one.environment}/${one.applicationName}`;
    if (byKey.get(key)?.fate.kind !== 'alive') byKey.set(key, one);
  }
  return [...byKey.values()].toSorted((a, b) => startOf(b).localeCompare(startOf(a)));
}

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
  if (!answer) return { ...known, fate: { kind: 'unknown' } };
  // A service that does not answer has not ended anything.
  if (!answer.ok) return { ...known, fate: isEnded(answer.problem) ? ended : { kind: 'unknown' } };
  const reservation = answer.value.reservedDeployments.find(
    (each) => each.environment === environment && each.applicationName === applicationName,
  );
  return { ...known, fate: reservation ? { kind: 'alive', reservation } : ended };
}

function isEnded({ code }: Problem): boolean {
  return code === 'session_not_found';
}
