/** All deployments of the user: listed, searched, sorted, and removed together. */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { go, Link, useQuery } from '../routing/router.tsx';
import { type Choice, choiceIn, chosen, withChoice } from './choice.ts';
import { RemoveSeveral } from './remove-several.tsx';
import { DeploymentRows } from './rows.tsx';
import { Tools } from './tools.tsx';
import { keyOf, type List, useDeployments } from './use-list.ts';

export default function DeploymentsPage() {
  const list = useDeployments();
  return (
    <div className="page stack">
      <div className="row">
        <h1>Deployments</h1>
        <Link to="/" className="button primary push" aria-label="New deployment">
          New <span className="where-wide">deployment</span>
        </Link>
      </div>
      <Content list={list} onRemoved={list.refresh} />
    </div>
  );
}

function Content({ list, onRemoved }: { list: List; onRemoved: () => void }) {
  const choice = choiceIn(useQuery());
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const choose = (changed: Partial<Choice>) =>
    go(`${location.pathname}${withChoice({ ...choice, ...changed })}`, { replace: true });

  if (list.isLoading && list.listed.length === 0) return <Loading what="the deployments" height="7rem" />;
  if (list.problem && list.listed.length === 0) return <ProblemNotice problem={list.problem} />;
  if (list.listed.length === 0) return <NothingListed />;
  const shown = chosen(list.listed, choice);
  // Only visible deployments are removed.
  const toRemove = shown.filter((one) => one.fate.kind === 'alive' && picked.has(keyOf(one)));
  const pick = (key: string, isPicked: boolean) => {
    const others = [...picked].filter((each) => each !== key);
    setPicked(new Set(isPicked ? [...others, key] : others));
  };
  return (
    <>
      {list.problem && list.problem.code !== 'unreachable' && <ProblemNotice problem={list.problem} />}
      <Tools choice={choice} choose={choose} shown={shown.length} all={list.listed.length}>
        <RemoveSeveral
          listed={toRemove}
          onDone={() => {
            setPicked(new Set());
            onRemoved();
          }}
        />
      </Tools>
      {shown.length > 0 ? (
        <DeploymentRows listed={shown} picking={{ picked, pick }} />
      ) : (
        <div className="panel empty">
          <h2>No deployment matches</h2>
          <button type="button" className="button" onClick={() => choose({ search: '', group: 'all' })}>
            Show all {list.listed.length}
          </button>
        </div>
      )}
    </>
  );
}

function NothingListed() {
  return (
    <div className="panel empty">
      <h2>No deployments</h2>
      <p>Deployments that you start in this browser and deployments of your account are listed here.</p>
      <Link to="/" className="button">
        Start from an example
      </Link>
    </div>
  );
}
