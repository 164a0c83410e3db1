/** Name, state, address and lifetime of a deployment, and what can be done with the whole of it. */
import { useCommands } from '../palette/commands.ts';
import { CopyButton } from '../parts/copy.tsx';
import { HealthBadge } from '../parts/health.tsx';
import { Outward } from '../parts/icons.tsx';
import type { Target } from '../service/calls.ts';
import type { Deployment } from '../service/records.ts';
import { ShareButton } from '../sharing/share-button.tsx';
import { Lifetime } from './lifetime.tsx';
import { ManageButton } from './manage.tsx';
import { RemoveButton } from './remove.tsx';
import { StartButton } from './start.tsx';

type DeploymentHeaderProps = { deployment: Deployment; target: Target; onChange: () => void };

export function DeploymentHeader({ deployment, target, onChange }: DeploymentHeaderProps) {
  const { applicationName, environment, url, status } = deployment;
  useCommands([
    { title: 'Open its address', group: applicationName, act: () => window.open(url, '_blank', 'noreferrer') },
  ]);
  const isServing = ['running', 'degraded', 'serving'].includes(status.health);
  return (
    <header className="deployment-header">
      <div className="title">
        <div className="row">
          <h1>{applicationName}</h1>
          <HealthBadge health={status.health} role="status" />
          {status.health === 'serving' && (
            <span className="soft small">
              revision {status.servingRevision}; revision {status.revision} has failed
            </span>
          )}
        </div>
        <p className="address">
          <a href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '')}
          </a>
          <CopyButton text={url} what="the address" />
          <span className="spoken">environment {environment}</span>
        </p>
      </div>
      <div className="actions">
        <a className={`button ${isServing ? 'primary' : ''}`} href={url} target="_blank" rel="noreferrer">
          Open <Outward />
        </a>
        <ShareButton target={target} url={url} />
        {status.health === 'stopped' ? (
          <StartButton target={target} onStarted={onChange} />
        ) : (
          <ManageButton target={target} pods={status.pods ?? []} onChange={onChange} />
        )}
        <RemoveButton target={target} onKept={onChange} />
      </div>
      <Lifetime deployment={deployment} target={target} onChange={onChange} />
    </header>
  );
}
