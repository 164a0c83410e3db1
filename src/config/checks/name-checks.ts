/** Checks that names are unique, and that each leads to one pod. */
import { type Context, repeated } from './context.ts';

export function checkNames({ spec, origin, report, book }: Context): void {
  const names = spec.pods.map(({ name }) => name);
  for (const { value, index, first } of repeated(names)) {
    report.error(
      [...origin.pod(index), 'name'],
      'duplicate-pod',
      `the pods ${first + 1} and ${index + 1} have the same name "${value}"`,
      { hint: 'give each pod a name of its own' },
    );
  }
  const unique = new Set(names);
  spec.pods.forEach(({ name, resourceType, replicas, aliases = [] }, index) => {
    if (name === 'localhost') {
      report.error([...origin.pod(index), 'name'], 'ambiguous-name', 'in every pod "localhost" is the pod itself');
    }
    if (resourceType === 'statefulset') {
      const taken = Array.from({ length: replicas }, (_, replica) => `${name}-${replica}`).find((own) =>
        unique.has(own),
      );
      if (taken !== undefined) {
        const hint = 'give one of the two another name';
        const message = `a replica of "${name}" is called "${taken}", as another pod is`;
        report.error([...origin.pod(index), 'name'], 'ambiguous-name', message, { hint });
      }
    }
    aliases.forEach((alias, position) => {
      const owner = book.get(alias);
      if (owner === undefined || owner === name) return;
      const message = `"${alias}" leads to the pod "${owner}" already`;
      report.error([...origin.pod(index), 'aliases', position], 'ambiguous-name', message);
    });
  });
}
