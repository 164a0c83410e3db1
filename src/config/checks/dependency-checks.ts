/** `dependsOn` and `restartsWith`: pods that exist, and no circles. */
import { quote } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { replaceValue } from '../document/edits.ts';
import type { Context } from './context.ts';

export function checkDependencies({ spec: { pods }, origin, report, source }: Context): void {
  const names = pods.map(({ name }) => name);
  pods.forEach((pod, index) => {
    const listed = (['dependsOn', 'restartsWith'] as const).flatMap((field) =>
      (pod[field] ?? []).map((name, position) => ({ field, name, position })),
    );
    for (const { field, name, position } of listed) {
      const path = [...origin.pod(index), field];
      if (names.includes(name) && (field === 'dependsOn' || pod.dependsOn.includes(name))) continue;
      // A scalar is a list of one, and has no positions.
      const at = source.textOf(path) === undefined ? [...path, position] : path;
      if (names.includes(name)) {
        const hint = `add ${name} to dependsOn`;
        report.error(at, 'unknown-pod', `${quote(name)} is not among the pods of dependsOn`, { hint });
        continue;
      }
      const meant = nearestName(name.replace(/\.pod$/, ''), names);
      const hint = meant ? `did you mean ${meant}?` : `the pods are ${names.slice(0, 10).join(', ')}`;
      const fix = meant === undefined ? undefined : replaceValue(source, at, meant);
      report.error(at, 'unknown-pod', `no pod is named ${quote(name)}`, { hint, fix });
    }
  });
  const byName = new Map(pods.map((pod) => [pod.name, pod]));
  const done = new Set<string>();
  for (const pod of pods) {
    const circle = circleFrom(pod.name, (name) => byName.get(name)?.dependsOn ?? [], done);
    if (!circle) continue;
    const index = names.indexOf(circle[0]!);
    const message =
      circle.length === 2
        ? `the pod "${circle[0]}" waits for itself`
        : `pods wait for each other in a circle: ${circle.join(' → ')}`;
    const hint = 'remove one of these dependencies';
    report.error([...origin.pod(index), 'dependsOn'], 'dependency-cycle', message, { hint });
  }
}

/**
 * Returns the first cycle that is reachable from a name, with its first name repeated at the end. Names in `done` lead
 * to no cycle.
 */
function circleFrom(start: string, next: (name: string) => readonly string[], done: Set<string>): string[] | undefined {
  const trail: string[] = [];
  const visit = (name: string): string[] | undefined => {
    const seen = trail.indexOf(name);
    if (seen !== -1) return [...trail.slice(seen), name];
    if (done.has(name)) return undefined;
    trail.push(name);
    for (const other of next(name)) {
      const circle = visit(other);
      if (circle) {
        done.add(name);
        return circle;
      }
    }
    trail.pop();
    done.add(name);
    return undefined;
  };
  return visit(start);
}
