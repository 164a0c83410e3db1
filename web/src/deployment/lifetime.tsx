/** How long a deployment still lives, and what makes it live longer. */
import { useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printCountdown, printMoment } from '../parts/time.ts';
import { tellUser } from '../parts/toast.tsx';
import type { Answer, Problem } from '../service/ask.ts';
import { addReservation, claimDeployment, extendDeployment, statusOf, type Target } from '../service/calls.ts';
import type { Deployment } from '../service/records.ts';

/** From here on the countdown is a warning. */
const soonMs = 10 * 60_000;

type LifetimeProps = { deployment: Deployment; target: Target; onChange: () => void };

export function Lifetime({ deployment, target, onChange }: LifetimeProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, setIsAsking] = useState(false);
  const { expiresAt, extend, claim, reservation } = deployment;

  const ask = async <T,>(question: () => Promise<Answer<T>>, then: (value: T) => void) => {
    setIsAsking(true);
    setProblem(undefined);
    const answer = await question();
    setIsAsking(false);
    if (answer.ok) then(answer.value);
    else setProblem(answer.problem);
    onChange();
  };

  return (
    <div className="lifetime">
      <div className="row">
        {expiresAt === undefined ? <span>Does not expire</span> : <Countdown until={Date.parse(expiresAt)} />}
        {!claim.claimed && (
          <span className="row push">
            <button
              type="button"
              className="button compact"
              disabled={isAsking || !extend.available}
              title={`${extend.remaining} left`}
              onClick={() =>
                void ask(
                  () => extendDeployment(target),
                  () => void tellExtended(target),
                )
              }
            >
              Extend
              <span className="soft">{extend.remaining > 0 ? `${extend.remaining} left` : 'none left'}</span>
            </button>
            <button
              type="button"
              className="button compact"
              disabled={isAsking}
              onClick={() =>
                void ask(
                  () => claimDeployment(target),
                  ({ claimUrl }) => location.assign(claimUrl),
                )
              }
            >
              Claim to keep it
            </button>
          </span>
        )}
        {claim.claimed && (
          <span className="row push">
            <span className="soft small">
              {reservation.held ? 'Claimed, and held beyond its time limit' : 'Claimed'}
            </span>
            {expiresAt !== undefined && !reservation.held && (
              <button
                type="button"
                className="button compact"
                onClick={() =>
                  void ask(
                    () => addReservation(target),
                    () => tellUser(`${target.applicationName} is held: it stays when its time limit is reached.`),
                  )
                }
              >
                Hold it
              </button>
            )}
          </span>
        )}
      </div>
      {problem && <ProblemNotice problem={problem} />}
    </div>
  );
}

function Countdown({ until }: { until: number }) {
  const now = useNow(1_000);
  const left = until - now;
  return (
    <span className={left < soonMs ? 'countdown soon' : 'countdown'}>
      Expires in <strong className="numbers">{printCountdown(left)}</strong>
      <span className="soft small numbers"> {printMoment(until, now)}</span>
    </span>
  );
}

/** The new limit is the service's to say. */
async function tellExtended(target: Target): Promise<void> {
  const answer = await statusOf(target);
  if (!answer.ok || answer.value.expiresAt === undefined) return tellUser('Extended.');
  const { expiresAt, extend } = answer.value;
  const more = extend.remaining === 0 ? 'That was the last extension.' : `${extend.remaining} more can follow.`;
  tellUser(`Extended: it expires ${printMoment(Date.parse(expiresAt), Date.now())}. ${more}`);
}
