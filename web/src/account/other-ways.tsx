/** Signing in without a password: by a passkey, or by an account elsewhere. */
import { useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import type { SignInMethods } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { signInWith } from './calls.ts';
import { canUsePasskeys, signInWithPasskey } from './passkey-calls.ts';

type OtherWaysProps = { methods: SignInMethods; next: string; isNew: boolean; onEnter: () => void };

export function OtherWays({ methods, next, isNew, onEnter }: OtherWaysProps) {
  const [problem, setProblem] = useState<Problem>();
  const hasPasskeys = methods.passkeys && !isNew && canUsePasskeys();
  if (!hasPasskeys && methods.providers.length === 0) return null;

  const take = async <T,>(way: Promise<Answer<T>>, then: (value: T) => void) => {
    setProblem(undefined);
    const answer = await way;
    if (answer.ok) then(answer.value);
    else setProblem(answer.problem);
  };
  return (
    <div className="stack other-ways">
      <p className="small soft">or</p>
      {problem && <ProblemNotice problem={problem} />}
      {hasPasskeys && (
        <button type="button" className="button" onClick={() => void take(signInWithPasskey(), onEnter)}>
          Sign in with a passkey
        </button>
      )}
      {methods.providers.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className="button"
          onClick={() => void take(signInWith(id, next), ({ url }) => url !== undefined && location.assign(url))}
        >
          Continue with {name}
        </button>
      ))}
    </div>
  );
}
