/** The page of one deployment: its state and address at the top, the rest in tabs. */
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useVisitor } from '../account/session.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Loading } from '../parts/loading.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { recordEnd, targetOf } from '../remembered/remembered.ts';
import { Link } from '../routing/router.tsx';
import { pathOf, type Route, type Tab, tabs } from '../routing/routes.ts';
import { outlineOf, type Target } from '../service/calls.ts';
import { Domains } from './domains.tsx';
import { EndedDeployment } from './ended.tsx';
import { useEndingSoon } from './ending-soon.ts';
import { endOf } from './event-text.ts';
import { DeploymentHeader } from './header.tsx';
import { MissingDeployment } from './missing.tsx';
import { Overview } from './overview.tsx';
import { journeyOf } from './steps.ts';
import { useFeed } from './use-feed.ts';
import './deployment.css';

const MetricsPanel = lazy(() => import('../metrics/panel.tsx'));
const BuildTab = lazy(() => import('../build/tab.tsx'));
const LogsTab = lazy(() => import('../logs/tab.tsx'));
const TerminalTab = lazy(() => import('../terminal/tab.tsx'));
const EventsTab = lazy(() => import('./events-tab.tsx'));
const RevisionsTab = lazy(() => import('../revisions/tab.tsx'));
const DataTab = lazy(() => import('../snapshots/tab.tsx'));
const ConfigurationTab = lazy(() => import('../configuration/tab.tsx'));

type DeploymentRoute = Extract<Route, { page: 'deployment' }>;

const titles: Record<Tab, string> = {
  overview: 'Overview',
  build: 'Build',
  logs: 'Logs',
  terminal: 'Terminal',
  events: 'Events',
  revisions: 'Revisions',
  data: 'Data',
  configuration: 'Configuration',
};

export default function DeploymentPage({ route }: { route: DeploymentRoute }) {
  const { environment, applicationName } = route;
  const [opened, setOpened] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened by its token, it is remembered with that
  const target = useMemo(() => targetOf({ environment, applicationName }), [environment, applicationName, opened]);
  const onOpened = () => setOpened((count) => count + 1);
  const visitor = useVisitor();
  // Without a token, only a signed-in account can request it.
  if (target.sessionToken === undefined && visitor.kind === 'unknown') return <Waiting problem={undefined} />;
  if (target.sessionToken === undefined && visitor.kind === 'anonymous')
    return <MissingDeployment target={target} onOpened={onOpened} events={[]} />;
  const isSignedIn = visitor.kind === 'account';
  return <KnownDeployment key={opened} route={route} target={target} isSignedIn={isSignedIn} onOpened={onOpened} />;
}

type KnownDeploymentProps = { route: DeploymentRoute; target: Target; isSignedIn: boolean; onOpened: () => void };

/** If this browser's token was revoked, the account that has claimed the deployment can still show it. */
function KnownDeployment({ route, target: remembered, isSignedIn, onOpened }: KnownDeploymentProps) {
  const { tab } = route;
  const [isTokenEnded, setIsTokenEnded] = useState(false);
  const target = useMemo(
    () => (isTokenEnded ? { ...remembered, sessionToken: undefined } : remembered),
    [remembered, isTokenEnded],
  );
  const feed = useFeed(target);
  const { deployment, events, problem, connection } = feed;
  const journey = useMemo(() => deployment && journeyOf(events, deployment.status), [events, deployment]);
  const outline = useAnswer(`${journey?.revision ?? 1}`, () => outlineOf(target));

  useEndingSoon(deployment);

  const mayBeOfAccount = isSignedIn && !isTokenEnded && problem?.code === 'session_not_found';
  useEffect(() => {
    if (mayBeOfAccount) setIsTokenEnded(true);
  }, [mayBeOfAccount]);

  // It may have been restored elsewhere.
  const runs = deployment !== undefined && deployment.restorableUntil === undefined;
  useEffect(() => {
    if (runs) recordEnd(remembered, false);
  }, [runs, remembered]);

  const isEnded = problem && problem.status >= 400 && problem.status < 500 && problem.status !== 429;
  if (isEnded) return <MissingDeployment target={target} problem={problem} events={events} onOpened={onOpened} />;
  if (!deployment) return <Waiting problem={problem?.error} />;
  const { restorableUntil: until } = deployment;
  if (until !== undefined) {
    const end = events.map(endOf).findLast((each) => each !== undefined);
    return <EndedDeployment until={until} end={end} target={target} onRestored={feed.restart} />;
  }
  const { status } = deployment;
  return (
    <div className="page stack">
      <DeploymentHeader deployment={deployment} target={target} onChange={feed.refresh} />
      <Tabs route={route} hasBuilds={events.some(({ kind }) => kind === 'build')} />
      <Boundary key={tab}>
        <Suspense fallback={<Loading what={titles[tab]} height="24rem" />}>
          {tab === 'overview' && (
            <Overview status={status} target={target} journey={journey} route={route} pods={outline.value?.pods} />
          )}
          {tab === 'overview' && deployment.claim.claimed && <Domains target={target} />}
          {tab === 'overview' && status.servingRevision !== undefined && (
            <Suspense fallback={<Loading what="what is measured" height="16rem" />}>
              <MetricsPanel target={target} isClaimed={deployment.claim.claimed} outline={outline.value?.pods} />
            </Suspense>
          )}
          {tab === 'build' && <BuildTab target={target} events={events} />}
          {tab === 'logs' && <LogsTab target={target} pods={outline.value?.pods} />}
          {tab === 'terminal' && <TerminalTab target={target} deployment={deployment} pods={outline.value?.pods} />}
          {tab === 'events' && <EventsTab events={events} connection={connection} />}
          {tab === 'revisions' && <RevisionsTab target={target} status={status} />}
          {tab === 'data' && <DataTab deployment={deployment} target={target} pods={outline.value?.pods} />}
          {tab === 'configuration' && <ConfigurationTab target={target} revision={journey?.revision} />}
        </Suspense>
      </Boundary>
    </div>
  );
}

/** `hasBuilds`: images of the deployment were built from source. */
function Tabs({ route, hasBuilds }: { route: DeploymentRoute; hasBuilds: boolean }) {
  const shown = tabs.filter((name) => name !== 'build' || hasBuilds || route.tab === 'build');
  const nav = useRef<HTMLElement>(null);
  // A phone's screen is too narrow for all tabs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is the current one then
  useLayoutEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current)
      nav.current.scrollLeft = current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2;
  }, [route.tab]);
  return (
    <nav className="tabs" aria-label="Parts of the deployment" ref={nav}>
      {shown.map((name) => (
        <Link
          key={name}
          to={pathOf({ ...route, tab: name })}
          aria-current={name === route.tab ? 'page' : undefined}
          keepScroll
        >
          {titles[name]}
        </Link>
      ))}
    </nav>
  );
}

function Waiting({ problem }: { problem: string | undefined }) {
  return (
    <div className="page stack">
      {problem !== undefined && (
        <p className="notice warn" role="status">
          {problem} Trying again …
        </p>
      )}
      <Loading what="the deployment" height="9rem" />
      <Loading what="its tabs" height="24rem" />
    </div>
  );
}
