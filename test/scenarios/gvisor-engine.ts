/** Tells an engine of a test's own of gVisor, as the set-up tells the machine's engine. */
import { provideGvisor } from '../../scripts/setup/gvisor.ts';
import { lookAtHost } from '../../scripts/setup/host.ts';
import { registerGvisor } from '../../scripts/setup/runtimes.ts';
import type { PrivateEngine } from './private-engine.ts';

export async function tellOfGvisor(
  { docker, configurationFile, reload }: PrivateEngine,
  patienceMs?: number,
): Promise<void> {
  const host = await lookAtHost();
  const program = await provideGvisor(host, (_, work) => work());
  await registerGvisor(host, { docker, file: configurationFile, reload }, program, patienceMs);
}
