/** The difference of any two revisions. */
import { useId } from 'react';
import { Comparison } from '../configuration/comparison.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Target } from '../service/calls.ts';
import { scrollIntoView } from './scroll-into-view.ts';
import type { Pair } from './texts.ts';
import { useTexts } from './use-texts.ts';

type PairComparisonProps = {
  target: Target;
  /** The existing revisions. */
  numbers: readonly number[];
  pair: Pair;
  /** The user has chosen this very pair. */
  isAsked: boolean;
  onChoose: (pair: Pair) => void;
};

export function PairComparison({ target, numbers, pair, isAsked, onChoose }: PairComparisonProps) {
  const { texts, problem } = useTexts(target, pair);
  return (
    <section className="panel comparison" aria-label="Comparison" ref={isAsked ? scrollIntoView : null}>
      <div className="row choice">
        <RevisionChoice
          label="From"
          numbers={numbers}
          value={pair.from}
          onChoose={(from) => onChoose({ ...pair, from })}
        />
        <RevisionChoice label="To" numbers={numbers} value={pair.to} onChoose={(to) => onChoose({ ...pair, to })} />
      </div>
      {problem && <ProblemNotice problem={problem} />}
      {!texts && !problem && <Loading what="the comparison" height="14rem" />}
      {texts && texts.from === texts.to && <p className="same soft">Both have the same text.</p>}
      {texts && texts.from !== texts.to && <Comparison original={texts.from} text={texts.to} />}
    </section>
  );
}

type RevisionChoiceProps = {
  label: string;
  numbers: readonly number[];
  value: number;
  onChoose: (number: number) => void;
};

function RevisionChoice({ label, numbers, value, onChoose }: RevisionChoiceProps) {
  const id = useId();
  return (
    <span className="row">
      <label className="small soft" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="input compact"
        value={value}
        onChange={(event) => onChoose(Number(event.target.value))}
      >
        {!numbers.includes(value) && <option value={value}>Revision {value}</option>}
        {numbers.map((number) => (
          <option key={number} value={number}>
            Revision {number}
          </option>
        ))}
      </select>
    </span>
  );
}
