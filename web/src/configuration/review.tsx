/** Shows the changes of an update, in the text and in the pods, before it is sent. */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { go } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import { previewUpdate, type Target } from '../service/calls.ts';
import type { PodChange } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { labelOf, outcomeText, volumeText } from './changes.ts';
import { Comparison } from './comparison.tsx';
import './review.css';

type ReviewProps = {
  target: Target;
  /** The text of the current revision, and the new one. */
  original: string;
  text: string;
  /** Sends the change. */
  send: () => Promise<Answer<unknown>>;
  /** The label of the button that sends it. */
  sendTitle: string;
  backTitle: string;
  onBack: () => void;
  onSent?: () => void;
};

export default function Review({ target, original, text, send, sendTitle, backTitle, onBack, onSent }: ReviewProps) {
  const preview = useAnswer(text, () => previewUpdate(target, text));
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setIsSending] = useState(false);

  const update = async () => {
    setIsSending(true);
    const answer = await send();
    setIsSending(false);
    if (!answer.ok) return setProblem(answer.problem);
    onSent?.();
    go(pathOf({ page: 'deployment', ...target, tab: 'overview' }));
  };

  const refused = problem ?? preview.problem ?? preview.value?.refusal;
  return (
    <section className="panel review" aria-label="Review of the update">
      <div className="changes">
        <h2>Effect on the pods</h2>
        {refused && <ProblemNotice problem={refused} />}
        {!preview.value && !preview.problem && <Loading what="the plan" height="8rem" />}
        {preview.value && (
          <ul>
            {preview.value.pods.map((pod) => (
              <ChangeRow key={pod.name} pod={pod} />
            ))}
          </ul>
        )}
        {preview.value && <p className="small soft">{outcomeText(preview.value)}</p>}
        {preview.value && preview.value.warnings.length > 0 && (
          <div className="notice warn small">
            <strong>Worth checking in the configuration</strong>
            <ul>
              {preview.value.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </div>
        )}
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={isSending || !preview.value}
            onClick={() => void update()}
          >
            {isSending ? 'Sending …' : sendTitle}
          </button>
          <button type="button" className="button" onClick={onBack}>
            {backTitle}
          </button>
        </div>
      </div>
      <div className="comparison">
        <h2>Changes of the text</h2>
        <Comparison original={original} text={text} />
      </div>
    </section>
  );
}

function ChangeRow({ pod }: { pod: PodChange }) {
  const { name, change, because, warnings } = pod;
  return (
    <li className={change}>
      <p>
        <strong>{name}</strong> {labelOf(pod)}
      </p>
      {change !== 'unchanged' && <p className="small soft">{because}</p>}
      {volumeText(pod).map((said) => (
        <p key={said} className="small">
          {said}
        </p>
      ))}
      {warnings.map(({ code, message, hint }) => (
        <p key={code} className="notice warn small">
          {message}
          {hint !== undefined && <span className="soft"> ({hint})</span>}
        </p>
      ))}
    </li>
  );
}
