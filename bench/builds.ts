/** From source code to a page: a build on the server against `docker build` and `docker run` of the same folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceArchive } from '../test/support/source-archive.ts';
import { timed } from './compose.ts';
import { type Question, untilOk } from './http.ts';
import { freePort, type Service } from './service.ts';
import { type Contender, runRounds, type Times } from './time-to-live.ts';
import type { Undo } from './undo.ts';

export type BuildOptions = { rounds: number; warmUps: number };

const dockerfile = `FROM node:26-slim
WORKDIR /app
RUN node -e "require('node:fs').writeFileSync('made', '')"
COPY server.mjs ./
EXPOSE 3000
CMD ["node", "server.mjs"]
`;

/** It answers 200 at a path of this source alone, so that no earlier container is taken for it. */
const sourceOf = (path: string) => ({
  Dockerfile: dockerfile,
  'server.mjs': `import { createServer } from 'node:http';
createServer(({ url }, response) => {
  response.statusCode = url === '/${path}' ? 200 : 404;
  response.end();
}).listen(3000);
process.on('SIGTERM', () => process.exit());
`,
});

export async function measureBuilds(
  service: Pick<Service, 'port' | 'startSource' | 'updateSource' | 'untilRunning' | 'remove'>,
  options: BuildOptions,
  { say, undo, signal }: { say: (line: string) => void; undo: Undo; signal: AbortSignal },
): Promise<{ ours: Times[]; theirs: Times[] }> {
  const contenders = [berthContender(service), await dockerContender(undo)];
  const times = await runRounds(contenders, options, say, signal);
  return { ours: times.get('berth')!, theirs: times.get('docker build + docker run')! };
}

/** `cold`: a new deployment. `warm`: with another server.mjs. `unchanged`: the same source again. */
function berthContender(service: Parameters<typeof measureBuilds>[0]): Contender {
  let round = 0;
  return {
    name: 'berth',
    async round(signal) {
      round += 1;
      const coldAt = performance.now();
      const started = await service.startSource('built', await sourceArchive(sourceOf(`cold-${round}`)));
      const at = (path: string): Question => ({ host: started.host, port: service.port, path: `/${path}` });
      const cold = (await untilOk(at(`cold-${round}`), signal)) - coldAt;
      await service.untilRunning(started);
      const changed = await sourceArchive(sourceOf(`warm-${round}`));
      const warmAt = performance.now();
      await service.updateSource(started, changed);
      const warm = (await untilOk(at(`warm-${round}`), signal)) - warmAt;
      await service.untilRunning(started);
      const unchangedAt = performance.now();
      await service.updateSource(started, changed);
      await service.untilRunning(started);
      const unchanged = performance.now() - unchangedAt;
      return { cold, warm, unchanged, removal: await service.remove(started) };
    },
  };
}

async function dockerContender(undo: Undo): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-build-'));
  undo.add(`remove ${folder}`, () => rm(folder, { recursive: true, force: true }));
  const name = `berth-bench-build-${process.pid}`;
  const port = await freePort();
  const docker = (signal: AbortSignal | undefined, ...words: string[]) => timed('docker', words, signal);
  const remove = async () => {
    await docker(undefined, 'rm', '--force', name);
  };
  undo.add(`remove ${name}`, async () => {
    await remove().catch(() => {});
    await docker(undefined, 'image', 'rm', '--force', name);
  });
  let round = 0;

  async function live(path: string, words: string[], signal: AbortSignal): Promise<number> {
    for (const [file, content] of Object.entries(sourceOf(path))) await writeFile(join(folder, file), content);
    const begunAt = performance.now();
    await docker(signal, 'build', '--quiet', '--tag', name, ...words, folder);
    await docker(signal, 'run', '--detach', '--name', name, '--publish', `127.0.0.1:${port}:3000`, name);
    const liveAt = await untilOk({ host: '127.0.0.1', port, path: `/${path}` }, signal);
    await remove();
    return liveAt - begunAt;
  }

  return {
    name: 'docker build + docker run',
    async round(signal) {
      round += 1;
      const cold = await live(`cold-${round}`, ['--no-cache'], signal);
      const warm = await live(`warm-${round}`, [], signal);
      const unchanged = await live(`warm-${round}`, [], signal);
      return { cold, warm, unchanged };
    },
  };
}
