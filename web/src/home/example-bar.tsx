/** Something to start from: an example, or a file of one's own. */
import { type ChangeEvent, useRef, useState } from 'react';
import { examples, firstText } from './examples.ts';

/** The service reads no more (`maxDocumentBytes`). */
const maxFileBytes = 256 * 1024;

export function ExampleBar({ text, onChoose }: { text: string; onChoose: (text: string) => void }) {
  const [chosen, setChosen] = useState({ name: examples[0]!.name, text: firstText });
  const file = useRef<HTMLInputElement>(null);
  const choose = (name: string, loaded: string) => {
    // As the editor counts lines; positions of problems and fixes are counted in the same text.
    const written = loaded.replaceAll(/\r\n?/g, '\n');
    setChosen({ name, text: written });
    onChoose(written);
  };
  const open = async (event: ChangeEvent<HTMLInputElement>) => {
    const given = event.target.files?.[0];
    event.target.value = '';
    if (given) choose(given.name, await given.slice(0, maxFileBytes).text());
  };
  return (
    <fieldset className="example-bar">
      <legend className="spoken">Start from</legend>
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
