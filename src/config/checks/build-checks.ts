/** The sources of builds: a document without files can name Git repositories, in both forms. */
import { type Diagnostic, printPath } from '../diagnostics/diagnostics.ts';
import type { Source } from '../document/source.ts';
import { childOf, entriesOf, type Field, itemsOf } from '../document/tree.ts';
import { readBuildSource } from '../values/build-source.ts';

/** `hasSources`: whether images are built from repositories that the document names. */
export function checkBuilds({ root, at }: Source): { hasSources: boolean; diagnostics: Diagnostic[] } {
  const read = buildsIn({ tree: root, path: [] }).flatMap((build) => readBuildSource(build) ?? []);
  const diagnostics = read.flatMap((each): Diagnostic[] => {
    if (each.kind === 'source') return [];
    const { tree, path, key } = each.problem.at;
    const place = at(tree.kind === 'scalar' ? tree.at : (key ?? tree).at);
    const { message, hint } = each.problem;
    return [{ severity: 'error', code: 'bad-source', path: printPath(path), ...place, message, hint }];
  });
  return { hasSources: read.length > 0, diagnostics };
}

/** Returns the builds of pods or services. */
function buildsIn(document: Field): Field[] {
  const pods = itemsOf(childOf(childOf(document, 'application'), 'pods'));
  const services = entriesOf(childOf(document, 'services')).map(([, service]) => service);
  return [...pods, ...services].flatMap((one) => childOf(one, 'build') ?? []);
}
