/** Checks the resulting document as the service does, and reports problems at their place in the folder's files. */

import { secretUsesIn } from '../config/compose/secret-uses.ts';
import { readSource } from '../config/document/source.ts';
import { childOf, type Tree } from '../config/document/tree.ts';
import { parseConfiguration } from '../config/parse.ts';
import { openGenerated, type SecretUse } from '../config/variables/generated-secrets.ts';
import { isSecretName } from '../config/variables/secret-names.ts';
import { type Findings, messageOf } from './findings.ts';
import type { Variables } from './local-variables.ts';
import { markedIn, writeText } from './marks.ts';
import type { MissingValue } from './project.ts';
import { mapTree, offsetsByPath, printTree } from './trees.ts';

type Examples = (name: string) => { value: string; file: string } | undefined;

/** Returns the text to send, and the values to request from the user. Refuses unsupported parts. */
export function checkDocument(
  tree: Tree,
  variables: Variables,
  examples: Examples,
  findings: Findings,
): { document: string; questions: MissingValue[] } {
  const document = printTree(tree, writeText);
  const questions = questionsIn(tree, document, variables, examples, findings);
  judge(document, offsetsByPath(tree), questions.length > 0 || findings.missingFiles.size > 0, findings);
  return { document, questions };
}

/** Refused for any values of missing variables. */
const certain = new Set(['unsupported', 'docker-socket', 'bind-mount', 'external']);
/** Said by questions. */
const requested = new Set(['unset-variable', 'missing-key', 'required-variable']);

function judge(document: string, offsetOf: (path: string) => number, isIncomplete: boolean, findings: Findings): void {
  const { diagnostics } = parseConfiguration(document);
  // A file with variables that is not there may have it.
  const lacksFile = findings.missingFiles.size > 0;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  // Other problems may be consequences of a refusal, or of a missing value.
  const isJudged = !isIncomplete && findings.refusals.length === 0 && !errors.some(({ code }) => certain.has(code));
  for (const diagnostic of errors) {
    const { code, message, hint } = messageOf(diagnostic);
    if (isJudged || certain.has(code)) findings.refuse(code, message, offsetOf(diagnostic.path), hint);
  }
  for (const diagnostic of diagnostics) {
    const { code, message, hint } = messageOf(diagnostic);
    if (diagnostic.severity === 'error' || (isIncomplete && requested.has(code))) continue;
    if (code === 'missing-password' && lacksFile) continue;
    findings.note(code, message, offsetOf(diagnostic.path), hint);
  }
}

/** Returns the questions of a project that must be answered before it can be read further. */
export function neededValues(variables: Variables, examples: Examples, findings: Findings): MissingValue[] {
  return questionsIn(mapTree([], 0), '', variables, examples, findings);
}

function questionsIn(
  tree: Tree,
  document: string,
  { whys }: Variables,
  examples: Examples,
  findings: Findings,
): MissingValue[] {
  const uses = new Map(findings.needed);
  collect(tree, uses, new Set());
  if (uses.size === 0) return [];
  const madeUp = openGenerated((name) => secretUses(document).get(name) ?? []);
  return [...uses].flatMap(([name, places]): MissingValue[] => {
    const proposed = examples(name);
    // An example with an empty password leaves it out on purpose, because each installation has its own.
    const isEmpty = proposed?.value === '' && madeUp(name);
    const suggestion = isEmpty ? undefined : proposed;
    const why = whys.get(name);
    if (why === undefined && suggestion === undefined && !findings.needed.has(name) && madeUp(name)) return [];
    return [
      {
        name,
        at: findings.placeOf(places[0]!),
        uses: places.length,
        ...(why !== undefined && why !== '' && { why }),
        ...(suggestion && { suggestion }),
        isSecret: isSecretName(name),
      },
    ];
  });
}

function secretUses(document: string): Map<string, SecretUse[]> {
  const { source } = readSource(document);
  const root = source && { tree: source.root, path: [] };
  const services = childOf(root, 'services');
  return root && services ? secretUsesIn(root, services) : new Map();
}

function collect(tree: Tree, uses: Map<string, number[]>, seen: Set<Tree>): void {
  if (seen.has(tree)) return;
  seen.add(tree);
  if (tree.kind === 'list') for (const item of tree.items) collect(item, uses, seen);
  else if (tree.kind === 'map') for (const { value } of tree.entries.values()) collect(value, uses, seen);
  else for (const name of markedIn(tree.text)) uses.set(name, [...(uses.get(name) ?? []), tree.at]);
}
