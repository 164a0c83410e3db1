/** Choices for a start: an example, a file, or the previous text. */
import { type ChangeEvent, useRef, useState } from 'react';
import { readDocument } from '../editor/document-file.ts';
import { Link } from '../routing/router.tsx';
import { examples, firstText } from './examples.ts';
import { replaceStart, restoreEarlier } from './start-draft.ts';

export function ExampleBar({ text, earlier }: { text: string; earlier: string | undefined }) {
  const [chosen, setChosen] = useState({ name: examples[0]!.name, text: firstText });
  const file = useRef<HTMLInputElement>(null);
  const choose = (name: string, loaded: string) => {
    setChosen({ name, text: loaded });
    replaceStart(loaded);
  };
  const open = async (event: ChangeEvent<HTMLInputElement>) => {
    const given = event.target.files?.[0];
    event.target.value = '';
    if (given) choose(given.name, await readDocument(given));
  };
  return (
    <fieldset className="example-bar">
      <legend className="spoken">Start from</legend>
      <Link to="/templates" className="button compact">
        All templates
      </Link>
      {examples.map(({ name, title, says, load }) => (
        <button
          key={name}
          type="button"
          className="button compact"
          title={says}
          aria-pressed={chosen.name === name && chosen.text === text}
          onClick={() => void load().then((loaded) => choose(name, loaded))}
        >
          {title}
        </button>
      ))}
      <button type="button" className="button compact quiet" onClick={() => file.current?.click()}>
        Open a file …
      </button>
      {earlier !== undefined && (
        <button type="button" className="button compact quiet" title={titleOf(earlier)} onClick={restoreEarlier}>
          Back to your draft
        </button>
      )}
      <input
        ref={file}
        type="file"
        accept=".yaml,.yml,.json,text/*"
        hidden
        aria-label="File"
        onChange={(event) => void open(event)}
      />
    </fieldset>
  );
}

/** Returns the first lines, to recognize the text. */
function titleOf(text: string): string {
  return text.split('\n').slice(0, 3).join('\n');
}
