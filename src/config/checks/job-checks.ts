/** Pods that do their work once, and would be started again for ever. */
import { addField } from '../document/edits.ts';
import type { PodSpec } from '../spec/spec.ts';
import type { PodContext } from './context.ts';

const names = /(?:^|-)(?:migrate|migrations?|migrator|seed|seeder|db-init|init-db)(?:-|$)/;
/** At the end of a command, nothing can be served after it. */
const lastCommand =
  /(?:\bmigrate(?::\w+)?|\bmigrate deploy|\bmigration:run|\bdb:(?:migrate|seed|setup)|\bupgrade head|\bdb push)["']?\s{0,9}$/;

/** Returns whether a pod without clients is named like a migration, or ends with such a name. */
export function looksLikeJob({ name, path, servicePorts, healthCheck, resourceType, command = [] }: PodSpec): boolean {
  if (resourceType !== 'deployment' || path !== undefined || servicePorts.length > 0 || healthCheck) return false;
  return names.test(name) || lastCommand.test(command.join(' ').slice(-200));
}

export function checkJob({ pod, path, report, source }: PodContext): void {
  if (!looksLikeJob(pod) || pod.container?.mayEnd || source.textOf([...path, 'resourceType']) !== undefined) return;
  const message = `the pod "${pod.name}" looks like a pod that ends, but it is restarted each time it ends`;
  const fix = addField(source, path, 'name', 'resourceType: job');
  report.warn([...path, 'name'], 'not-a-job', message, { hint: 'write "resourceType: job"', fix });
}
