/** The page of a share link: the status of an application, for people without access to it. */
import { useEffect } from 'react';
import { HealthBadge } from '../parts/health.tsx';
import { Loading } from '../parts/loading.tsx';
import { useNow } from '../parts/now.ts';
import { printCountdown, printMoment } from '../parts/time.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { Link } from '../routing/router.tsx';
import { sharedStatusOf } from '../service/calls.ts';
import type { SharedStatus } from '../service/records.ts';
import './sharing.css';

const lookEveryMs = 5_000;

export default function SharedPage({ token }: { token: string }) {
  const { value, problem, reload } = useAnswer(token, () => sharedStatusOf(token));
  const isGone = problem?.code === 'share_not_found';
  const isOver = isGone || value?.health === 'expired';
  const now = useNow(lookEveryMs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: requested again as time passes, while the page is visible
  useEffect(() => {
    if (!isOver) reload();
  }, [now, isOver]);
  useEffect(() => {
    if (value) document.title = `${value.applicationName}: ${value.health} · Berth`;
  }, [value]);
  if (isGone)
    return (
      <div className="page">
        <div className="empty">
          <h1>This link shows nothing</h1>
          <p>It was revoked, or it never existed. Ask the sender for a new link.</p>
          <Link to="/" className="button">
            Go to the start page
          </Link>
        </div>
      </div>
    );
  if (!value)
    return (
      <div className="page narrow">
        <Loading what="the status" height="16rem" />
      </div>
    );
  return <Shared status={value} isOld={problem !== undefined} />;
}

function Shared({ status, isOld }: { status: SharedStatus; isOld: boolean }) {
  const { applicationName, url, health, pods, createdAt } = status;
  const now = useNow(1_000);
  return (
    <div className="page narrow stack shared">
      <div className="row">
        <h1>{applicationName}</h1>
        <HealthBadge health={health} role="status" />
      </div>
      {isOld && (
        <p className="notice warn small" role="status">
          The service does not respond; trying again. This page may be out of date.
        </p>
      )}
      {health === 'expired' ? (
        <p className="soft">It has ended. Its address no longer works.</p>
      ) : (
        <>
          <p className="shared-address">
            <a href={url} rel="noreferrer">
              {url.replace(/^https?:\/\//, '')}
            </a>
          </p>
          <section className="panel padded" aria-label="Pods">
            <ul className="shared-pods">
              {pods.map(({ name, state }) => (
                <li key={name} className="row">
                  <span>{name}</span>
                  <span className={`badge push ${state}`}>{state}</span>
                </li>
              ))}
              {pods.length === 0 && <li className="soft">{health === 'stopped' ? 'It is stopped.' : 'No pod yet.'}</li>}
            </ul>
          </section>
        </>
      )}
      <p className="small soft">
        Deployed {printMoment(Date.parse(createdAt), now)}. {endOf(status, now)}
      </p>
    </div>
  );
}

function endOf({ expiresAt, health }: SharedStatus, now: number): string {
  if (health === 'expired') return '';
  if (expiresAt === undefined) return 'It does not expire.';
  const at = Date.parse(expiresAt);
  return `It expires in ${printCountdown(at - now)}, ${printMoment(at, now)}.`;
}
