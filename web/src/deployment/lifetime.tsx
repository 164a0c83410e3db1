/** The remaining lifetime of a deployment, and the ways to extend it. */
import { useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printCountdown, printMoment } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { usePending } from '../parts/use-pending.ts';
import {
  addReservation,
  claimDeployment,
  extendDeployment,
  limitsOf,
  releaseDeployment,
  statusOf,
  type Target,
} from '../service/calls.ts';
import type { Deployment } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { canRequestNotifications, requestNotifications, soonMs } from './ending-soon.ts';

type LifetimeProps = { deployment: Deployment; target: Target; onChange: () => void };

export function Lifetime({ deployment, target, onChange }: LifetimeProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const [mayNotify, setMayNotify] = useState(canRequestNotifications);
  const { expiresAt, extend, claim, reservation } = deployment;
  const { extensionMinutes } = useAnswer('', () => limitsOf(target)).value ?? {};

  const ask = async <T,>(question: () => Promise<Answer<T>>, then: (value: T) => void) => {
    setProblem(undefined);
    const answer = await whileAsking(question());
    if (answer.ok) then(answer.value);
    else setProblem(answer.problem);
    onChange();
  };

  return (
    <div className="lifetime">
      <div className="row">
        {expiresAt === undefined ? (
          <span>Does not expire</span>
        ) : reservation.held ? (
          <span>
            Held: it stays when its time limit is reached, <Moment at={Date.parse(expiresAt)} />
          </span>
        ) : (
          <Countdown until={Date.parse(expiresAt)} />
        )}
        {expiresAt !== undefined && !reservation.held && mayNotify && Date.parse(expiresAt) - Date.now() > soonMs && (
          <button
            type="button"
            className="button quiet compact"
            title="A notification of this browser, while this page is open in a tab"
            onClick={() =>
              void requestNotifications().then((isAllowed) => {
                setMayNotify(false);
                showToast(
                  isAllowed
                    ? 'You get a notification ten minutes before it expires, while this page is open in a tab.'
                    : 'This browser does not allow notifications here.',
                );
              })
            }
          >
            Notify me
          </button>
        )}
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
              Extend{extensionMinutes !== undefined && ` +${printMinutes(extensionMinutes)}`}
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
            <span className="soft small">Claimed</span>
            {reservation.held && (
              <button
                type="button"
                className="button compact"
                disabled={isAsking}
                onClick={() =>
                  void ask(
                    () => releaseDeployment(target),
                    () => showToast(`${target.applicationName} is no longer held: it ends at its time limit.`),
                  )
                }
              >
                Release it
              </button>
            )}
            {expiresAt !== undefined && !reservation.held && (
              <button
                type="button"
                className="button compact"
                onClick={() =>
                  void ask(
                    () => addReservation(target),
                    () => showToast(`${target.applicationName} is held: it stays when its time limit is reached.`),
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
      <span className="soft small numbers">
        {' '}
        <Moment at={until} />
      </span>
    </span>
  );
}

/** Shows a time, with the whole date as its tooltip. */
function Moment({ at }: { at: number }) {
  const date = new Date(at);
  const whole = date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
  return (
    <time dateTime={date.toISOString()} title={whole}>
      {printMoment(at, Date.now())}
    </time>
  );
}

/** `2 h`, `90 min`. */
function printMinutes(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.round(minutes)} min`;
}

/** The new limit is the service's to say. */
async function tellExtended(target: Target): Promise<void> {
  const answer = await statusOf(target);
  if (!answer.ok || answer.value.expiresAt === undefined) return showToast('Extended.');
  const { expiresAt, extend } = answer.value;
  const more = extend.remaining === 0 ? 'That was the last extension.' : `Extensions left: ${extend.remaining}.`;
  showToast(`Extended: it expires ${printMoment(Date.parse(expiresAt), Date.now())}. ${more}`);
}
