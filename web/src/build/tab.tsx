/** The builds of a deployment from source: their steps, with the output of each. */
import { useMemo, useState } from 'react';
import type { StreamedEvent } from '../deployment/event-text.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Target } from '../service/calls.ts';
import { type ImageOutput, readBuildOutput, type StepOutput } from './build-output.ts';
import { buildsIn } from './builds.ts';
import { readColors } from './colors.ts';
import { useBuildLog } from './use-build-log.ts';
import './build.css';

export default function BuildTab({ target, events }: { target: Target; events: readonly StreamedEvent[] }) {
  const builds = useMemo(() => buildsIn(events), [events]);
  const [chosen, choose] = useState<number>();
  const last = builds.at(-1);
  if (!last) return <div className="panel empty">The images of this application were not built here.</div>;
  const build = builds.find(({ revision }) => revision === chosen) ?? last;
  return (
    <div className="panel build">
      <div className="tools row">
        <label>
          Build of{' '}
          <select value={build.revision} onChange={({ target }) => choose(Number(target.value))}>
            {builds.toReversed().map(({ revision }) => (
              <option key={revision} value={revision}>
                revision {revision}
              </option>
            ))}
          </select>
        </label>
        <span className={`badge ${badges[build.state]}`}>{build.state}</span>
        {build.seconds !== undefined && <span className="soft small numbers">{build.seconds} s</span>}
      </div>
      <Output key={build.revision} target={target} build={build} />
    </div>
  );
}

const badges = { building: 'deploying', built: 'running', failed: 'failed' } as const;

type OutputProps = { target: Target; build: ReturnType<typeof buildsIn>[number] };

function Output({ target, build }: OutputProps) {
  const { text, problem } = useBuildLog(target, build.revision);
  const images = useMemo(() => readBuildOutput(text), [text]);
  if (problem) return <ProblemNotice problem={problem} />;
  if (images.length === 0) return <p className="soft small waiting">Waiting for the first step …</p>;
  return images.map((image, at) => (
    <ImageSteps key={image.image} image={image} isCurrent={build.state !== 'built' && at === images.length - 1} />
  ));
}

/** `isCurrent`: the last step is in progress, or has failed. */
function ImageSteps({ image: { image, steps }, isCurrent }: { image: ImageOutput; isCurrent: boolean }) {
  return (
    <section aria-label={image}>
      {image !== '' && <h2 className="small">{image}</h2>}
      <ol>
        {steps.map((step, at) => (
          // Steps are only added at the end.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place of a step is its name
          <li key={at}>
            <Step step={step} isOpen={isCurrent && at === steps.length - 1} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Step({ step: { place, title, lines, isCached, took }, isOpen }: { step: StepOutput; isOpen: boolean }) {
  const head = (
    <>
      <span className="soft small numbers">{place}</span> <code>{title}</code>
      <span className="soft small numbers took">{isCached ? 'cached' : took}</span>
    </>
  );
  if (lines.length === 0) return <p className="step">{head}</p>;
  return (
    <details open={isOpen}>
      <summary className="step">{head}</summary>
      <pre tabIndex={0}>
        <Colored text={lines.join('\n')} />
      </pre>
    </details>
  );
}

function Colored({ text }: { text: string }) {
  const parts = useMemo(() => readColors(text), [text]);
  return parts.map(({ text, style }, at) =>
    style === '' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <span key={at} className={style}>
        {text}
      </span>
    ),
  );
}
