/** The service's own checks, in a worker of the browser: as fast as one types, and a long document holds up nothing. */
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
  const outline = parsed.kind === 'valid' ? { name: parsed.spec.name, pods: outlineOf(parsed.spec) } : undefined;
  return { isValid: parsed.kind === 'valid', diagnostics: parsed.diagnostics, ...(outline && { outline }) };
}
