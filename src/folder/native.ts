/** A native document of a folder: sent as it stands. */
import { childOf, type Tree, textOf } from '../config/document/tree.ts';
import { parseConfiguration } from '../config/parse.ts';
import { type Findings, wordsOf } from './findings.ts';
import type { FolderOptions, Project } from './project.ts';

/** @param main Its text, and its tree, which it has unless the text is no YAML. */
export function readNative(
  main: { text: string; tree: Tree | undefined },
  start: Project,
  { findings, options }: { findings: Findings; options: FolderOptions },
): Project {
  const [file = ''] = start.sources;
  const { diagnostics } = parseConfiguration(main.text);
  for (const diagnostic of diagnostics) {
    const { line, column } = diagnostic;
    const said = { ...wordsOf(diagnostic), at: { file, line, column } };
    if (diagnostic.severity === 'error') findings.refusals.push(said);
    else findings.notes.push(said);
  }
  const application = main.tree && childOf({ tree: main.tree, path: [] }, 'application');
  const name = textOf(childOf(application, 'name')) ?? start.name;
  if (options.name !== undefined && options.name !== name) {
    findings.refuse(
      'name-of-document',
      `the document says its name itself: "${name}"`,
      undefined,
      `change it in ${file}`,
    );
  }
  return { ...start, form: 'native', name, document: main.text };
}
