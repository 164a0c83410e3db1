/** Deployments that were started in this browser, on the start page. */
import { ProblemNotice } from '../parts/notice.tsx';
import { Link } from '../routing/router.tsx';
import { DeploymentRows } from './rows.tsx';
import { useDeployments } from './use-list.ts';

const most = 5;

/** Renders nothing for users without deployments. */
export function RecentDeployments() {
  const list = useDeployments();
  if (list.listed.length === 0) return null;
  return (
    <section className="home-section">
      <h2>Your deployments</h2>
      <div className="stack">
        {list.problem && <ProblemNotice problem={list.problem} />}
        {list.listed.length > 0 && <DeploymentRows listed={list.listed.slice(0, most)} />}
        {list.listed.length > most && <Link to="/deployments">All {list.listed.length} deployments</Link>}
      </div>
    </section>
  );
}
