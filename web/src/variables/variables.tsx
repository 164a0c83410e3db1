/** The variables of each pod as a table. Edits change the text of the configuration. */
import { useId, useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Cross } from '../parts/icons.tsx';
import { showToast } from '../parts/toast.tsx';
import {
  type Edited,
  removeVariable,
  setLiteral,
  setVariable,
  type Variable,
  variablesIn,
} from '../pod-edits/pod-edits.ts';
import { readDotEnv } from './dot-env.ts';
import './variables.css';

type VariablesProps = {
  text: string;
  onChange: (text: string) => void;
  /** The pods of the last valid text. */
  pods: readonly PodOutline[] | undefined;
};

export default function Variables({ text, onChange, pods = [] }: VariablesProps) {
  const all = variablesIn(text);
  if (!all) return <p className="panel padded soft">The text is not valid YAML. Correct it as text first.</p>;
  const take = (edited: Edited | undefined) =>
    edited ? onChange(edited.text) : showToast('This is written in a way that can only be edited as text.');
  return (
    <div className="stack">
      {all.map(({ pod, variables }) => (
        <PodTable
          key={pod}
          pod={pod}
          variables={variables}
          references={referencesOf(pods, pod)}
          onSet={(variable) => take(setVariable(text, pod, variable))}
          onRemove={(name) => take(removeVariable(text, pod, name))}
          onPaste={(pasted) => {
            const { text: changed, refused } = withPasted(text, pod, pasted);
            onChange(changed);
            showToast(
              refused.length > 0
                ? `${refused.join(', ')} can only be edited as text; the others are set.`
                : `${pasted.length} ${pasted.length === 1 ? 'variable is' : 'variables are'} set for ${pod}.`,
            );
          }}
        />
      ))}
    </div>
  );
}

function withPasted(text: string, pod: string, pasted: readonly Variable[]): { text: string; refused: string[] } {
  const refused: string[] = [];
  let changed = text;
  for (const variable of pasted) {
    const edited = setLiteral(changed, pod, variable);
    if (edited) changed = edited.text;
    else refused.push(variable.name);
  }
  return { text: changed, refused };
}

/** Returns how one pod reaches the others. */
function referencesOf(pods: readonly PodOutline[], pod: string): string[] {
  const others = pods.filter(({ name }) => name !== pod);
  return others.flatMap(({ name, ports }) =>
    ports.length === 0 ? [`${name}.pod`] : ports.map((port) => `${name}.pod:${port}`),
  );
}

type PodTableProps = {
  pod: string;
  variables: readonly Variable[];
  references: readonly string[];
  onSet: (variable: Variable) => void;
  onRemove: (name: string) => void;
  onPaste: (variables: Variable[]) => void;
};

function PodTable({ pod, variables, references, onSet, onRemove, onPaste }: PodTableProps) {
  const [isPasting, setIsPasting] = useState(false);
  const [added, setAdded] = useState('');
  const list = useId();
  const add = () => {
    if (!/^[A-Za-z_][\w.-]*$/.test(added))
      return showToast('A name consists of letters, digits and underscores, and does not start with a digit.');
    onSet({ name: added, value: '' });
    setAdded('');
  };
  return (
    <section className="panel variables" aria-label={`Variables of ${pod}`}>
      <div className="row head">
        <h2>{pod}</h2>
        <button type="button" className="button compact push" onClick={() => setIsPasting(true)}>
          Paste a .env file …
        </button>
      </div>
      <datalist id={list}>
        {references.map((reference) => (
          <option key={reference} value={reference} />
        ))}
      </datalist>
      {variables.length === 0 && <p className="small soft none">No variables yet.</p>}
      <ul>
        {variables.map((variable) => (
          <Row key={variable.name} pod={pod} variable={variable} list={list} onSet={onSet} onRemove={onRemove} />
        ))}
      </ul>
      <form
        className="row add"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <input
          className="input compact"
          aria-label={`Name of a new variable of ${pod}`}
          placeholder="NEW_VARIABLE"
          value={added}
          onChange={(event) => setAdded(event.target.value)}
        />
        <button type="submit" className="button compact" disabled={added === ''}>
          Add
        </button>
      </form>
      {isPasting && <PasteDialog pod={pod} onClose={() => setIsPasting(false)} onPaste={onPaste} />}
    </section>
  );
}

type RowProps = {
  pod: string;
  variable: Variable;
  /** Id of what is offered. */
  list: string;
  onSet: (variable: Variable) => void;
  onRemove: (name: string) => void;
};

function Row({ pod, variable: { name, value }, list, onSet, onRemove }: RowProps) {
  const [isShown, setIsShown] = useState(value === '');
  const hasLines = /[\r\n]/.test(value);
  // The field is not replaced while it is being edited.
  const [hadLines] = useState(hasLines);
  const isLong = hasLines || hadLines;
  return (
    <li>
      <code>{name}</code>
      {isLong && isShown ? (
        <textarea
          className="input compact"
          rows={Math.min(value.split('\n').length + 1, 12)}
          spellCheck={false}
          aria-label={`${name} of ${pod}`}
          value={value}
          onChange={(event) => onSet({ name, value: event.target.value })}
        />
      ) : (
        <input
          className="input compact"
          type={isShown ? 'text' : 'password'}
          autoComplete="off"
          aria-label={`${name} of ${pod}`}
          list={isShown ? list : undefined}
          // An input would drop the line breaks.
          readOnly={isLong}
          value={value}
          onChange={(event) => onSet({ name, value: event.target.value })}
        />
      )}
      <button
        type="button"
        className="button compact"
        aria-pressed={isShown}
        aria-label={`${isShown ? 'Hide' : 'Reveal'} ${name}`}
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? 'Hide' : 'Reveal'}
      </button>
      <button
        type="button"
        className="button quiet compact icon"
        aria-label={`Remove ${name}`}
        onClick={() => onRemove(name)}
      >
        <Cross />
      </button>
    </li>
  );
}

function PasteDialog({
  pod,
  onClose,
  onPaste,
}: {
  pod: string;
  onClose: () => void;
  onPaste: PodTableProps['onPaste'];
}) {
  const [text, setText] = useState('');
  const found = readDotEnv(text);
  return (
    <Dialog
      title={`Paste variables of ${pod}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button primary"
            disabled={found.length === 0}
            onClick={() => {
              onPaste(found);
              onClose();
            }}
          >
            {found.length === 0 ? 'Set them' : `Set ${found.length}`}
          </button>
        </>
      }
    >
      <textarea
        className="input variables-pasted"
        rows={8}
        aria-label="Lines of a .env file"
        placeholder={'DATABASE_URL=…\nSECRET_KEY=…'}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="small soft">Variables that exist get the new value; all others stay as they are.</p>
    </Dialog>
  );
}
