/** The list of deployments with state, address and time left. */
import { DeployAgain } from '../home/deploy-again.tsx';
import { HealthBadge } from '../parts/health.tsx';
import { Cross, Outward } from '../parts/icons.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo, printCountdown } from '../parts/time.ts';
import { forgetDeployment } from '../remembered/remembered.ts';
import { Link } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import { keyOf, type Listed } from './use-list.ts';
import './rows.css';

/** The selected deployments, for an action on all of them. */
type Picking = { picked: ReadonlySet<string>; pick: (key: string, isPicked: boolean) => void };

export function DeploymentRows({ listed, picking }: { listed: readonly Listed[]; picking?: Picking }) {
  const now = useNow(15_000);
  return (
    <ul className={`panel deployment-rows ${picking ? 'with-picking' : ''}`}>
      {listed.map((one) => (
        <Row key={keyOf(one)} one={one} now={now} picking={picking} />
      ))}
    </ul>
  );
}

function Row({ one, now, picking }: { one: Listed; now: number; picking: Picking | undefined }) {
  const { applicationName, environment, fate, url } = one;
  const to = pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' });
  const hasEnded = fate.kind === 'ended';
  return (
    <li>
      {picking && (
        <label className="pick">
          <input
            type="checkbox"
            aria-label={`Select ${applicationName} ${environment}`}
            disabled={fate.kind !== 'alive'}
            checked={fate.kind === 'alive' && picking.picked.has(keyOf(one))}
            onChange={({ target }) => picking.pick(keyOf(one), target.checked)}
          />
        </label>
      )}
      <State fate={fate} />
      <span className="name">
        <Link to={to}>{applicationName}</Link>
        <span className="soft small">{environment}</span>
      </span>
      <span className="soft small numbers">{lifeOf(fate, now)}</span>
      {hasEnded ? (
        <span className="row">
          <DeployAgain place={one} className="button compact" />
          <button
            type="button"
            className="button quiet compact icon"
            onClick={() => forgetDeployment(one)}
            aria-label={`Forget ${applicationName} ${environment}`}
            title="Remove it and its configuration from this browser"
          >
            <Cross />
          </button>
        </span>
      ) : (
        <a
          className="button quiet compact icon"
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open the site of ${applicationName} ${environment}`}
          title="Open the site"
        >
          <Outward />
        </a>
      )}
    </li>
  );
}

function State({ fate }: Pick<Listed, 'fate'>) {
  if (fate.kind === 'unknown') return <span className="badge">…</span>;
  return <HealthBadge health={fate.kind === 'alive' ? fate.reservation.status.health : 'ended'} />;
}

function lifeOf(fate: Listed['fate'], now: number): string {
  if (fate.kind === 'unknown') return '';
  if (fate.kind === 'ended') return `started ${printAgo(now - Date.parse(fate.startedAt))}`;
  const { expiresAt } = fate.reservation;
  return expiresAt === undefined ? 'stays' : `${printCountdown(Date.parse(expiresAt) - now)} left`;
}
