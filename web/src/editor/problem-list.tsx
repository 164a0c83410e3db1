/** Lists the problems of a configuration, each with its place, and with a fix if one is certain. */
import type { ReactNode } from 'react';
import type { Diagnostic, TextEdit } from '../../../src/config/diagnostics/diagnostics.ts';
import { Check } from '../parts/icons.tsx';
import { useHeight } from './use-height.ts';

type ProblemListProps = {
  /** Undefined before the first check. */
  diagnostics: readonly Diagnostic[] | undefined;
  areImagesChecked: boolean;
  onJump: (diagnostic: Diagnostic) => void;
  /** Absent while the text is newer than the diagnostics. */
  onFix: ((fix: TextEdit) => void) | undefined;
  onFixAll: () => void;
  action?: ReactNode;
  notice?: ReactNode;
};

export function ProblemList({ diagnostics, areImagesChecked, ...props }: ProblemListProps) {
  const { onJump, onFix, onFixAll, action, notice } = props;
  const { height, edge } = useHeight();
  const fixable = diagnostics?.filter(({ fix }) => fix).length ?? 0;
  return (
    <section className="problems" aria-label="Problems">
      {diagnostics && diagnostics.length > 0 && (
        <div className="list">
          <div className="edge" {...edge} />
          <ul style={{ maxHeight: height }}>
            {diagnostics.map((diagnostic) => (
              <Row key={keyOf(diagnostic)} diagnostic={diagnostic} onJump={onJump} onFix={onFix} />
            ))}
          </ul>
        </div>
      )}
      {notice && <div className="list">{notice}</div>}
      <div className="row">
        <p className="small" role="status">
          <Summary diagnostics={diagnostics} areImagesChecked={areImagesChecked} />
        </p>
        {fixable > 1 && (
          <button type="button" className="button compact push" onClick={onFixAll}>
            Fix all {fixable}
          </button>
        )}
        {action}
      </div>
    </section>
  );
}

function Row({ diagnostic, onJump, onFix }: Pick<ProblemListProps, 'onJump' | 'onFix'> & { diagnostic: Diagnostic }) {
  const { severity, line, column, path, message, hint, fix } = diagnostic;
  return (
    <li className={severity}>
      <button type="button" className="place" onClick={() => onJump(diagnostic)}>
        <span className="spoken">
          {severity} in line {line}, {path}:
        </span>
        <span aria-hidden="true">
          {line}:{column}
        </span>
      </button>
      <p className="small">
        {path && <code>{shortened(path)}</code>} {message}
        {hint !== undefined && <span className="soft"> ({hint})</span>}
      </p>
      {fix && (
        <button type="button" className="button compact" disabled={!onFix} onClick={() => onFix?.(fix)}>
          Fix
        </button>
      )}
    </li>
  );
}

function Summary({ diagnostics, areImagesChecked }: Pick<ProblemListProps, 'diagnostics' | 'areImagesChecked'>) {
  if (!diagnostics) return <span className="soft">Checking …</span>;
  const having = (severity: Diagnostic['severity']) =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const [errors, warnings, notes] = [having('error'), having('warning'), having('note')];
  const reported = notes > 0 ? [count(notes, 'note')] : [];
  if (errors === 0 && warnings === 0) {
    return (
      <span className="valid">
        <Check /> {[areImagesChecked ? 'Valid: this will deploy' : 'Valid, images not checked', ...reported].join(', ')}
      </span>
    );
  }
  const parts = [
    ...(errors > 0 ? [count(errors, 'problem')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
    ...reported,
  ];
  return <strong>{parts.join(', ')}</strong>;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** The end says more than the beginning, which every path has in common. */
function shortened(path: string): string {
  return path.replace(/^application\.pods\[(\d+)\]\.?/, 'pods[$1].').replace(/\.$/, '');
}

function keyOf({ line, column, code, message }: Diagnostic): string {
  return `${line}:${column} ${code} ${message}`;
}
