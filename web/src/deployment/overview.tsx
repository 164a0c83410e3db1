/** The state of a deployment: its progress, a picture of the running pods, or the reason of a failure. */
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { capitalised } from '../parts/capitalised.ts';
import { Loading } from '../parts/loading.tsx';
import { Prose } from '../parts/prose.tsx';
import { printSpan } from '../parts/time.ts';
import { Picture } from '../picture/picture.tsx';
import { pathOf, type Route } from '../routing/routes.ts';
import type { Target } from '../service/calls.ts';
import type { Deployment, Status } from '../service/records.ts';
import { Evidence, Failure } from './failure.tsx';
import { type Journey, presentOf, type Step } from './steps.ts';

type OverviewProps = {
  status: Deployment['status'];
  target: Target;
  journey: Journey | undefined;
  pods: readonly PodOutline[] | undefined;
  route: Extract<Route, { page: 'deployment' }>;
};

export function Overview({ status, target, journey, pods, route }: OverviewProps) {
  const linkOf = (pod: string) => `${pathOf({ ...route, tab: 'logs' })}?pod=${encodeURIComponent(pod)}`;
  return (
    <div className="stack">
      {/* The event of a failure arrives a moment before the reason. */}
      {status.state === 'failed' && status.health !== 'stopped' && status.message && (
        <Failure status={status} target={target} route={route} />
      )}
      {status.health === 'stopped' && (
        <div className="notice calm">
          <p>
            It is {status.message}. No pod runs; the address and the data stay. If its owner has stopped it, the time
            limit still applies, and <em>Start</em> brings it back.
          </p>
        </div>
      )}
      {status.health === 'asleep' && (
        <div className="notice calm">
          <p>
            It sleeps, because it was not used: its processes are frozen or stopped. The next request wakes it up
            {status.sleep?.wokeInMs !== undefined && `; the last wake took ${printSpan(status.sleep.wokeInMs)}`}.
            Claimed applications with <code>sleep: false</code> in the configuration stay awake.
          </p>
        </div>
      )}
      {status.health === 'degraded' && (
        <div className="notice warn">
          <p>
            <Prose text={capitalised(status.message ?? '')} />
          </p>
          <Evidence pods={status.pods ?? []} />
        </div>
      )}
      {status.certificate && (
        <p className="notice warn">
          {status.certificate.because !== 'late' && "Its address can't be opened yet. "}
          {status.certificate.message}
        </p>
      )}
      {status.disk?.map(({ message }) => (
        <p className="notice warn" key={message}>
          {capitalised(message)}
        </p>
      ))}
      <div className={status.health === 'running' || status.health === 'asleep' ? 'overview settled' : 'overview'}>
        <section className="panel" aria-label="Steps">
          <Progress status={status} journey={journey} />
        </section>
        <section className="panel grounded" aria-label="Pods">
          {pods ? (
            <Picture pods={withImages(pods, status)} states={status.pods} linkOf={linkOf} />
          ) : (
            <Loading what="the picture" height="18rem" />
          )}
        </section>
      </div>
    </div>
  );
}

/** The outline is of the desired revision. If an earlier one serves, its images are shown. */
function withImages(pods: readonly PodOutline[], status: Status): readonly PodOutline[] {
  if (status.health !== 'serving') return pods;
  return pods.map((pod) => ({ ...pod, image: status.pods?.find(({ name }) => name === pod.name)?.image ?? pod.image }));
}

function Progress({ status, journey }: Pick<OverviewProps, 'status' | 'journey'>) {
  const isDeploying = status.health === 'deploying';
  const heading = headingOf(status, journey);
  if (status.health === 'running')
    return (
      <details className="journey">
        <summary>
          <h2>{heading}</h2>
        </summary>
        <Steps journey={journey} />
      </details>
    );
  return (
    <div className="journey">
      <div className="head">
        <h2>{heading}</h2>
        {isDeploying && <span className="numbers soft">{status.progress} %</span>}
      </div>
      {isDeploying && (
        <>
          <progress value={status.progress} max={100} aria-label="Progress" />
          <p className="small soft present">
            <Prose text={journey ? presentOf(journey) : ''} />
          </p>
        </>
      )}
      {status.health !== 'stopped' && <Steps journey={journey} />}
    </div>
  );
}

function Steps({ journey }: Pick<OverviewProps, 'journey'>) {
  return (
    <ol className="steps">
      {journey?.steps.map((step) => (
        <StepRow key={step.name} step={step} />
      ))}
    </ol>
  );
}

function headingOf({ health, revision: last, servingRevision }: Status, journey: Journey | undefined): string {
  const revision = journey && journey.revision > 1 ? `Revision ${journey.revision}` : '';
  if (health === 'deploying') return revision === '' ? 'Deploying' : `Deploying ${revision.toLowerCase()}`;
  if (health === 'stopped') return 'Stopped';
  if (health === 'asleep') return 'Asleep';
  if (health === 'serving') return `${revision} did not become ready; revision ${servingRevision} still serves`;
  if (health === 'failed' && servingRevision === last) return 'No longer ready';
  if (health === 'failed') return revision === '' ? 'Did not become ready' : `${revision} did not become ready`;
  const took = journey?.tookMs === undefined ? '' : ` after ${printSpan(journey.tookMs)}`;
  return `${revision === '' ? 'Live' : `${revision} is live`}${took}`;
}

function StepRow({ step }: { step: Step }) {
  const { name, state, says, afterMs } = step;
  return (
    <li className={state}>
      <span>
        {name}
        <span className="spoken"> {state}</span>
        {says !== undefined && (
          <span className="says">
            <Prose text={says} />
          </span>
        )}
      </span>
      {afterMs !== undefined && <span className="numbers soft small">{printSpan(afterMs)}</span>}
    </li>
  );
}
