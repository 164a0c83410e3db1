/** The service's own checks in a web worker, so that long documents do not block the page. */
import { podPlacesOf } from '../../../src/config/document/pod-places.ts';
import { readSource } from '../../../src/config/document/source.ts';
import { fixDocument } from '../../../src/config/fix.ts';
import { parseConfiguration } from '../../../src/config/parse.ts';
import { outlineOf } from '../../../src/config/spec/spec-outline.ts';
import type { Checked, Reply, Task } from './checker.ts';

self.onmessage = ({ data }: MessageEvent<Task>) => {
  const reply: Reply =
    data.kind === 'check'
      ? { number: data.number, kind: 'check', checked: check(data.text) }
      : { number: data.number, kind: 'fix', text: fixDocument(data.text, parseConfiguration(data.text)).text };
  self.postMessage(reply);
};

function check(text: string): Checked {
  const parsed = parseConfiguration(text);
  const { diagnostics } = parsed;
  if (parsed.kind !== 'valid') return { isValid: false, diagnostics };
  const { source } = readSource(text);
  const places = source ? podPlacesOf(source) : [];
  return { isValid: true, diagnostics, outline: { name: parsed.spec.name, pods: outlineOf(parsed.spec), places } };
}
