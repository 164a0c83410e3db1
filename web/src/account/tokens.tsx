/** The session tokens of the account, which manage claimed deployments, and their revocation. */
import { useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import type { AnswerState } from '../parts/use-answer.ts';
import { usePending } from '../parts/use-pending.ts';
import { forgetDeployment } from '../remembered/remembered.ts';
import type { SessionToken } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { changeToken, endToken, replaceToken } from './calls.ts';
import { MadeSecret } from './made-secret.tsx';

export function Tokens({ state: { value, problem, reload } }: { state: AnswerState<{ tokens: SessionToken[] }> }) {
  const [made, setMade] = useState<string>();
  return (
    <section className="panel padded stack" aria-label="Session tokens">
      <h2>Session tokens</h2>
      <p className="small soft">
        Each start returns a token. Everyone with the token can see, change and remove its deployments, even after you
        have claimed them.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      {value && value.tokens.length === 0 && <p className="soft">No session tokens yet.</p>}
      {value && value.tokens.length > 0 && (
        <ul className="key-rows">
          {value.tokens.map((token) => (
            <TokenRow key={token.id} token={token} onChange={reload} onMade={setMade} />
          ))}
        </ul>
      )}
      {made !== undefined && (
        <MadeSecret title="The new session token" what="the token" secret={made} onClose={() => setMade(undefined)}>
          It is shown only once. The previous one has ended.
        </MadeSecret>
      )}
    </section>
  );
}

type TokenRowProps = { token: SessionToken; onChange: () => void; onMade: (token: string) => void };

function TokenRow({ token, onChange, onMade }: TokenRowProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const { id, applications, endedAt, starts } = token;
  const [isOfPlan, setIsOfPlan] = useState(starts === 'plan');
  const names = applications.map(({ applicationName }) => applicationName).join(', ');

  const ask = async <T,>(question: () => Promise<Answer<T>>, then: (value: T) => void) => {
    setProblem(undefined);
    const answer = await whileAsking(question());
    if (!answer.ok) {
      setIsOfPlan(starts === 'plan');
      return setProblem(answer.problem);
    }
    then(answer.value);
    onChange();
  };
  /** The stored token is useless now. The account sees the same deployments. */
  const forget = () => applications.forEach(forgetDeployment);

  return (
    <li>
      <span className="stack tight">
        <span className="name">{names}</span>
        <Traces token={token} />
        {problem && <ProblemNotice problem={problem} />}
        {endedAt === undefined && (
          <label className="check small">
            <input
              type="checkbox"
              checked={isOfPlan}
              disabled={isAsking}
              onChange={({ target: { checked } }) => {
                setIsOfPlan(checked);
                void ask(
                  () => changeToken(id, checked ? 'plan' : 'free'),
                  () => {},
                );
              }}
            />
            <span>
              Deployments that the token starts count towards your plan and stay. Otherwise, they are free and expire.
            </span>
          </label>
        )}
      </span>
      <span className="row push">
        <button
          type="button"
          className="button compact"
          disabled={isAsking}
          aria-label={`${endedAt === undefined ? 'Replace' : 'Make a new one'}: the token of ${names}`}
          onClick={() =>
            void ask(
              () => replaceToken(id),
              ({ sessionToken }) => {
                forget();
                onMade(sessionToken);
              },
            )
          }
        >
          {endedAt === undefined ? 'Replace' : 'Make a new one'}
        </button>
        {endedAt === undefined && (
          <button
            type="button"
            className="button compact danger"
            disabled={isAsking}
            aria-label={`End: the token of ${names}`}
            onClick={() =>
              void ask(
                () => endToken(id),
                () => {
                  forget();
                  showToast(`The token of ${names} has ended.`);
                },
              )
            }
          >
            End
          </button>
        )}
      </span>
    </li>
  );
}

function Traces({ token: { madeAt, madeFrom, lastUsedAt, lastUsedFrom, endedAt } }: { token: SessionToken }) {
  const now = useNow(60_000);
  const reported = (at: string, from: string | undefined) =>
    `${printAgo(now - Date.parse(at))}${from === undefined ? '' : ` from ${from}`}`;
  return (
    <span className="small soft traces">
      Made {reported(madeAt, madeFrom)};{' '}
      {lastUsedAt === undefined ? 'never used' : `last used ${reported(lastUsedAt, lastUsedFrom)}`}
      {endedAt !== undefined && <strong>; ended {reported(endedAt, undefined)}</strong>}
    </span>
  );
}
