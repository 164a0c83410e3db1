/**
 * `/new?template=NAME` and `/new?from=ADDRESS`: opens that configuration in the editor. A link never deploys anything.
 */
import { useEffect, useState } from 'react';
import { replaceStart } from '../home/start-draft.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { go, Link } from '../routing/router.tsx';
import { type Answer, call, type Problem } from '../service/request.ts';

type Found = { text: string; title: string; source?: string };

export default function NewPage() {
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    let isWanted = true;
    void findText(new URLSearchParams(location.search)).then((answer) => {
      if (!isWanted) return;
      if (!answer.ok) return setProblem(answer.problem);
      const { text, title, source } = answer.value;
      const undo = replaceStart(text, source);
      go('/', { replace: true });
      showToast(`${title} is in the editor.`, { title: 'Undo', act: undo });
    });
    return () => {
      isWanted = false;
    };
  }, []);
  return (
    <div className="page stack">
      <h1>Opening a configuration</h1>
      {problem ? (
        <ProblemNotice problem={problem}>
          <p className="row">
            <Link to="/" className="button compact">
              To the editor
            </Link>
            <Link to="/templates" className="button compact">
              All templates
            </Link>
          </p>
        </ProblemNotice>
      ) : (
        <Loading what="the configuration" height="24rem" />
      )}
    </div>
  );
}

async function findText(requested: URLSearchParams): Promise<Answer<Found>> {
  const [name, from] = [requested.get('template'), requested.get('from')];
  if (name) {
    const answer = await call('getTemplate', { query: { name } });
    return answer.ok ? { ok: true, value: { text: answer.value.document, title: answer.value.title } } : answer;
  }
  if (from) {
    const answer = await call('fetchDocument', { query: { from } });
    if (!answer.ok) return answer;
    const { text, from: source } = answer.value;
    return { ok: true, value: { text, source, title: fileOf(source) } };
  }
  const error = 'This link does not name a configuration.';
  const hint = 'Links are /new?from=https://… or /new?template=NAME.';
  return { ok: false, problem: { status: 400, code: 'invalid_request', error, hint } };
}

/** A short name for an address: the name of the file, or the host without one. */
function fileOf(address: string): string {
  const { pathname, host } = new URL(address);
  return pathname.split('/').filter(Boolean).at(-1) ?? host;
}
