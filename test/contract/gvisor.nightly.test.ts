/**
 * The contract on gVisor, with an engine of its own. The tests run on the host of that engine, on the machine inside
 * the machine, and report for this file, by the same reporters.
 */
import { once } from 'node:events';
import Docker from 'dockerode';
import { tellOfGvisor } from '../scenarios/gvisor-engine.ts';
import { createPrivateEngine } from '../scenarios/private-engine.ts';
import { buildImage } from './image.ts';

const engine = await createPrivateEngine();
try {
  await tellOfGvisor(engine);
  await engine.load(await buildImage(new Docker(), { name: 'contract' }));
  const tests = engine.host.spawn([process.execPath, ...process.execArgv, 'test/contract/gvisor-inside.ts'], {
    // The runner receives test events by the descriptor after standard error.
    stdio: ['inherit', 'inherit', 'inherit', ...(process.execArgv.length > 0 ? [3] : [])],
    env: { ...process.env, DOCKER_HOST: engine.dockerHost },
  });
  const [code] = await once(tests, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await engine.close();
}
