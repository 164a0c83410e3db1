/** All deployments that this person can see: those of this browser's tokens, and those of the account. */
import { useEffect, useState } from 'react';
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
  // What this browser knows is there at once, so that nothing moves when the service has answered.
  const [list, setList] = useState<List>(() => ({ isLoading: true, listed: remembered.map((one) => listedAs(one)) }));
  useEffect(() => {
    let isWanted = true;
    void readAll(remembered).then((read) => isWanted && setList(read));
    return () => {
      isWanted = false;
    };
  }, [remembered]);
  return list;
}

async function readAll(remembered: readonly Remembered[]): Promise<List> {
  const tokens = [...new Set(remembered.map(({ sessionToken }) => sessionToken))];
  const answers = new Map(
    await Promise.all(tokens.map(async (token) => [token, await reservationsOf(token)] as const)),
  );
  const listed = remembered.map((one) => listedAs(one, answers.get(one.sessionToken)));
  const problems = [...answers.values()].flatMap((answer) =>
    answer.ok || isEnded(answer.problem) ? [] : [answer.problem],
  );
  return { isLoading: false, listed, ...(problems[0] && { problem: problems[0] }) };
}

function listedAs(one: Remembered, answer?: Answer<{ reservedDeployments: Reservation[] }>): Listed {
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
