/** Lists the signed-in browsers of the account and signs them out: one, or all but this one. */
import { useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo, printCountdown } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import type { AnswerState } from '../parts/use-answer.ts';
import type { SignIn } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { removeSignIn, signOutElsewhere } from './calls.ts';
import { deviceIn } from './device.ts';

export function SignIns({ state: { value, problem, reload } }: { state: AnswerState<{ signIns: SignIn[] }> }) {
  const now = useNow(60_000);
  const [refusal, setRefusal] = useState<Problem>();
  const change = async (question: Promise<Answer<unknown>>, reported: string) => {
    setRefusal(undefined);
    const answer = await question;
    if (answer.ok) showToast(reported);
    else setRefusal(answer.problem);
    reload();
  };
  const shown = refusal ?? problem;
  const others = value?.signIns.filter(({ isThis }) => !isThis) ?? [];
  return (
    <section className="panel padded stack" aria-label="Signed-in browsers">
      <div className="row">
        <h2>Signed-in browsers</h2>
        {others.length > 0 && (
          <button
            type="button"
            className="button compact danger push"
            onClick={() => void change(signOutElsewhere(), 'All other browsers were signed out.')}
          >
            Sign out all others
          </button>
        )}
      </div>
      {shown && <ProblemNotice problem={shown} />}
      <ul className="key-rows">
        {value?.signIns.toSorted(thisFirst).map((signIn) => {
          const name = deviceIn(signIn.userAgent) ?? 'Another program';
          return (
            <li key={signIn.id}>
              <span className="name">{name}</span>
              {signIn.isThis && <span className="plan-name">this browser</span>}
              <span className="small soft">
                signed in {printAgo(now - Date.parse(signIn.createdAt))}, for another{' '}
                {printCountdown(Date.parse(signIn.expiresAt) - now)}
              </span>
              {!signIn.isThis && (
                <button
                  type="button"
                  className="button compact danger"
                  aria-label={`Sign out ${name}`}
                  onClick={() => void change(removeSignIn(signIn.id), `${name} was signed out.`)}
                >
                  Sign out
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function thisFirst(a: SignIn, b: SignIn): number {
  return Number(b.isThis) - Number(a.isThis);
}
