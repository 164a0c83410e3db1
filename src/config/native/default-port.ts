/** Which port a public pod serves on when its document does not say so. Pure. */
import type { Path } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { httpPortOf } from '../software/software.ts';
import type { PodSpec } from '../spec/spec.ts';
import { readPort } from '../values/units.ts';

/** Adds the port to the pod, with a warning. Other problems of the ports are already reported. */
export function inferPort(pod: PodSpec, path: Path, checkedPort: string | undefined, report: Report): void {
  if (pod.path === undefined || pod.servicePorts.length > 0 || report.isBroken([...path, 'servicePorts'])) return;
  const own = readPort(pod.vars.PORT ?? '');
  const [port, from] =
    own !== undefined
      ? [own, 'the variable PORT']
      : checkedPort !== undefined
        ? [readPort(checkedPort), 'the health check']
        : [httpPortOf(pod.image), 'what the image is known for'];
  if (port === undefined) return;
  pod.servicePorts.push(port);
  const hint = `write "servicePorts: [${port}]"`;
  report.warn(path, 'inferred-port', `the pod has no "servicePorts": ${port} is taken from ${from}`, { hint });
}
