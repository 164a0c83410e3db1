/** A native document of a folder: with the values that the folder has, and the images that are built in it. */
import { childOf, type Tree, textOf } from '../../config/document/tree.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { secretScriptlet } from '../../config/variables/scriptlets.ts';
import { isSecretName } from '../../config/variables/secret-names.ts';
import { readExamples } from '../compose/environment.ts';
import { type Findings, messageOf } from '../findings.ts';
import type { FolderFiles } from '../folder-files.ts';
import type { Variables } from '../local-variables.ts';
import type { FolderOptions, MissingValue, Project } from '../project.ts';
import { offsetsByPath, printTree } from '../trees.ts';
import { buildPods } from './built-pods.ts';
import { fillValues } from './filled-values.ts';

type Context = { base: string; files: FolderFiles; findings: Findings; options: FolderOptions };

/** A document without variables and builds is sent unchanged. */
export function readNative(
  main: { text: string; tree: Tree },
  start: Project,
  variables: Variables,
  context: Context,
): Project {
  const { findings, options, files, base } = context;
  const filled = fillValues(main.tree, variables);
  const { tree, images } = buildPods(filled.tree, { ...context, variables });
  const document = tree === main.tree ? main.text : printTree(tree, (text) => text);
  const name = textOf(childOf(childOf({ tree, path: [] }, 'application'), 'name')) ?? start.name;
  if (options.name !== undefined && options.name !== name) {
    const [file = ''] = start.sources;
    const message = `the document says its name itself: "${name}"`;
    findings.refuse('name-of-document', message, undefined, `change it in ${file}`);
  }
  const isMadeUp = judge(document, tree, filled, findings);
  const examples = readExamples(base, files, findings);
  const questions = [...filled.missing].flatMap(([missing, places]): MissingValue[] => {
    const why = variables.whys.get(missing);
    const suggestion = examples(missing);
    const isRequested =
      filled.needed.has(missing) || why !== undefined || suggestion !== undefined || !isMadeUp(missing);
    if (!isRequested) return [];
    const requested = { name: missing, at: findings.placeOf(places[0]!), uses: places.length };
    const more = { ...(why && { why }), ...(suggestion && { suggestion }) };
    return [{ ...requested, ...more, isSecret: isSecretName(missing) }];
  });
  return { ...start, form: 'native', name, document, images, questions };
}

/** Said by questions. */
const requested = new Set(['unset-variable', 'missing-key']);

/** Returns whether the service generates the value of the name. */
function judge(
  document: string,
  tree: Tree,
  { missing, needed }: { missing: ReadonlyMap<string, number[]>; needed: ReadonlySet<string> },
  findings: Findings,
): (name: string) => boolean {
  const parsed = parseConfiguration(document);
  // Other errors may be a consequence of the missing value.
  if (needed.size > 0) return () => false;
  const offsetOf = offsetsByPath(tree);
  for (const diagnostic of parsed.diagnostics) {
    const { code, message, hint } = messageOf(diagnostic);
    if (diagnostic.severity === 'error') findings.refuse(code, message, offsetOf(diagnostic.path), hint);
    else if (missing.size === 0 || !requested.has(code)) findings.note(code, message, offsetOf(diagnostic.path), hint);
  }
  const written = parsed.kind === 'valid' ? JSON.stringify(parsed.spec) : undefined;
  return (name) => written?.includes(secretScriptlet(name)) ?? true;
}
