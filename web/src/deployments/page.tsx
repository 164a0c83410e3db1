/** All deployments of this person. */
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Link } from '../routing/router.tsx';
import { DeploymentRows } from './rows.tsx';
import { type List, useDeployments } from './use-list.ts';

export default function DeploymentsPage() {
  const list = useDeployments();
  return (
    <div className="page stack">
      <div className="row">
        <h1>Deployments</h1>
        <Link to="/" className="button primary push">
          New deployment
        </Link>
      </div>
      <Content list={list} />
    </div>
  );
}

function Content({ list }: { list: List }) {
  if (list.isLoading && list.listed.length === 0) return <Loading what="the deployments" height="7rem" />;
  if (list.problem && list.listed.length === 0) return <ProblemNotice problem={list.problem} />;
  if (list.listed.length === 0) {
    return (
      <div className="panel empty">
        <h2>No deployments</h2>
        <p>What you start in this browser, and what your account has claimed, is listed here as long as it lives.</p>
        <Link to="/" className="button">
          Start from an example
        </Link>
      </div>
    );
  }
  return (
    <>
      {list.problem && <ProblemNotice problem={list.problem} />}
      <DeploymentRows listed={list.listed} />
    </>
  );
}
