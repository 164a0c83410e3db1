/** Recognizes documents of other kinds. Each kind gets its own message. Pure. */

import type { Report } from '../diagnostics/report.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import type { Source } from '../document/source.ts';
import { foreignForm, kubernetesHint, kubernetesMessage } from '../document/syntax.ts';
import { childOf, entriesOf, entryOf, type Field } from '../document/tree.ts';

const begin = 'begin with "application:", then "name:" and "pods:" below it';

/** Returns whether the document is not a configuration at all. This is reported instead of its details. */
export function reportMistakenForm(source: Source, report: Report): boolean {
  const root: Field = { tree: source.root, path: [] };
  const { tree } = root;
  if (tree.kind === 'scalar' && tree.value === null) {
    report.error([], 'empty', 'the document is empty', { hint: begin });
    return true;
  }
  if (tree.kind !== 'map') {
    const foreign = foreignForm(source.text);
    if (foreign) {
      report.error([], 'foreign-form', foreign.message, { hint: foreign.hint });
      return true;
    }
    const text = tree.kind === 'scalar' ? tree.text : '';
    const isPath = /^[\w./-]+\.ya?ml$/.test(text);
    const isJoined = /^application:\S/.test(text);
    report.error([], 'not-a-map', 'the document must be a map', {
      hint: isPath ? 'send the content of the file, not its name' : isJoined ? 'write a space after the colon' : begin,
    });
    return true;
  }
  if (!entryOf(root, 'application')) return reportNoApplication(source, root, report);

  const application = childOf(root, 'application');
  if (childOf(application, 'template')) {
    report.error(['application'], 'old-template-form', 'the form "application.template" is no longer read', {
      key: 'template',
      hint: 'write "name" and "pods" directly below "application", each pod with "image" and "servicePorts"',
    });
    return true;
  }
  if (childOf(root, 'pods') && !childOf(application, 'pods')) {
    report.error([], 'misplaced-field', '"pods" is next to "application"', {
      key: 'pods',
      hint: 'indent it below "application"',
    });
    return true;
  }
  return false;
}

function reportNoApplication(source: Source, root: Field, report: Report): boolean {
  const keys = entriesOf(root).map(([key]) => key);
  const has = (key: string) => keys.includes(key);
  if (has('apiVersion') && has('kind')) {
    report.error([], 'foreign-form', `"application" is missing: ${kubernetesMessage}`, { hint: kubernetesHint });
    return true;
  }
  const container = keys.find((key) => /^(?:containers?|pod)$/.test(key));
  if (container !== undefined) {
    report.error([], 'no-application', `"application" is missing: "${container}" is not known`, {
      key: container,
      hint: 'begin with "application:", then "name:" and "pods:" below it; a container is an entry of "pods": - name: web',
    });
    return true;
  }
  if (has('template')) {
    report.error([], 'old-template-form', '"application" is missing, and the form "template" is no longer supported', {
      key: 'template',
      hint: begin,
    });
    return true;
  }
  const slip = nearestName('application', keys) ?? keys.find((key) => key === 'app');
  const value = slip === undefined ? undefined : entryOf(root, slip);
  if (slip !== undefined && value?.key && value.tree.kind === 'map') {
    report.error([], 'no-application', `"application" is missing: "${slip}" is not known`, {
      key: slip,
      hint: 'did you mean "application"?',
      fix: { from: value.key.at, to: value.key.to, text: 'application' },
    });
    return true;
  }
  const isBare = has('pods') && has('name');
  const hint = isBare ? 'write "application:" above, and indent everything else below it' : begin;
  report.error([], 'no-application', '"application" is missing', {
    hint,
    fix: isBare ? indentAll(source) : undefined,
  });
  return true;
}

/** Indents all lines below a new `application:`. Not for documents in braces, where lines are irrelevant. */
function indentAll({ text }: Source) {
  if (/^\s*\{/.test(text) || /^(---|%)/m.test(text) || text.startsWith('\ufeff')) return undefined;
  const indented = text.replace(/^(?=[^\r\n])/gm, '  ');
  return { from: 0, to: text.length, text: `application:\n${indented}` };
}
