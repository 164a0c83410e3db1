/** A problem, and its solution. */
import type { ReactNode } from 'react';
import type { Problem } from '../service/request.ts';
import { Prose } from './prose.tsx';

export function ProblemNotice({ problem, children }: { problem: Omit<Problem, 'status'>; children?: ReactNode }) {
  const { error, hint, errors } = problem;
  return (
    <div className="notice alarm" role="alert">
      <strong>
        <Prose text={error} />
      </strong>
      {errors && errors.length > 1 && (
        <ul className="small">
          {errors.slice(0, 10).map((each) => (
            <li key={each}>
              <Prose text={each} />
            </li>
          ))}
        </ul>
      )}
      {hint !== undefined && (
        <p className="small">
          <Prose text={hint} />
        </p>
      )}
      {children}
    </div>
  );
}
