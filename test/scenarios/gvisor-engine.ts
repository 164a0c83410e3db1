/** Registers gVisor in a test's own engine, as the set-up does in the machine's engine. */
import { provideGvisor } from '../../scripts/setup/gvisor.ts';
import { inspectHost } from '../../scripts/setup/host.ts';
import { registerGvisor } from '../../scripts/setup/runtimes.ts';
import type { PrivateEngine } from './private-engine.ts';

export async function tellOfGvisor(
  { docker, configurationFile, reload }: PrivateEngine,
  patienceMs?: number,
): Promise<void> {
  const host = await inspectHost();
  const program = await provideGvisor(host, (_, work) => work());
  await registerGvisor(host, { docker, file: configurationFile, reload }, program, patienceMs);
}
