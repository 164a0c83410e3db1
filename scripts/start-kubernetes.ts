/** `npm run start:kubernetes`: Berth and the example on the cluster of the current context, and the way to them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { StartError } from '../src/lib/start-error.ts';
import { deployExample } from './example.ts';
import { isConfirmed } from './kubernetes/confirm.ts';
import { berthNamespace, currentContext, kubectlJson, showKubectl } from './kubernetes/kubectl.ts';
import { overlayFiles } from './kubernetes/overlay.ts';
import { SetUpError } from './setup/announce.ts';

const help = `Deploys Berth to the cluster of kubectl's current context, deploys the example, and prints its URL.

  npm run start:kubernetes -- --image registry.example.com/berth:1

  --image NAME        the image of Berth, which nodes have or can pull; \`npm run image -- --help\` says how to make it
  --yes               do not ask
  --port N            the port of this machine that leads to it (8080)
  --base-url URL      where your users find it; default: http://localhost:PORT, through kubectl, while this runs
  --apps-domain NAME  the domain whose subdomains are the applications (localhost)
  --set NAME=VALUE    any other setting, such as BERTH_STORAGE_CLASS=fast; may be repeated
  --example NAME      guestbook, another file of examples/, or none

\`npm run down:kubernetes\` removes Berth again, with all deployments.
`;

const manifests = join(import.meta.dirname, '../deploy/kubernetes');
const rolloutPatience = '15m';

type Options = ReturnType<typeof readOptions>;

try {
  const options = readOptions();
  if (options.help) process.stdout.write(help);
  else await start(options);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

function readOptions() {
  return parseArgs({
    options: {
      image: { type: 'string' },
      yes: { type: 'boolean' },
      port: { type: 'string', default: '8080' },
      'base-url': { type: 'string' },
      'apps-domain': { type: 'string', default: 'localhost' },
      set: { type: 'string', multiple: true, default: [] },
      example: { type: 'string', default: 'guestbook' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

async function start(options: Options): Promise<void> {
  const { image, port, example, 'base-url': baseUrl = `http://localhost:${port}` } = options;
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new SetUpError(`--port is ${port}: it has to be a port, 1 to 65535.`);
  if (image === undefined)
    throw new SetUpError(
      'Which image? `npm run image -- --name registry.example.com/berth:1 --push` makes one in a registry that the nodes pull from, ' +
        'and `npm run image -- --save berth.tar` a file for the nodes themselves. Then repeat this with --image NAME.',
    );
  const settings: Record<string, string> = {
    ...Object.fromEntries(options.set.map(readSetting)),
    BERTH_BASE_URL: baseUrl,
    BERTH_APPS_DOMAIN: options['apps-domain'],
  };
  await needPort(Number(port));
  const { name, server } = await currentContext();
  await needStorage(settings.BERTH_STORAGE_CLASS);
  console.log(`This deploys Berth (${image}) to the cluster of the context ${name}, ${server}: into the namespace`);
  console.log(`${berthNamespace}, with a role that lets it make namespaces and what is in them.`);
  if (!(await isConfirmed(options.yes))) process.exit(1);
  await apply({ image, settings });
  await untilReady();
  const way = forward(Number(port));
  try {
    const localPort = await way.untilOpen();
    console.log(`\n  Berth serves at ${baseUrl}`);
    const dataDir = join(import.meta.dirname, '../.berth/kubernetes', encodeURIComponent(name));
    await mkdir(dataDir, { recursive: true });
    const place = { host: '127.0.0.1', port: localPort, baseUrl: new URL(baseUrl) };
    if (example !== 'none') await deployExample(example, { dataDir, ...place });
    if (options['base-url'] !== undefined) return;
    console.log(
      '\n  Stop: Ctrl-C (applications keep running, without this way to them); `npm run down:kubernetes` removes all',
    );
    await once(process, 'SIGINT');
  } finally {
    way.close();
  }
}

function readSetting(text: string): [string, string] {
  const [, name, value] = /^(BERTH_[A-Z0-9_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new SetUpError(`--set ${text}: it has to be BERTH_NAME=VALUE.`);
  return [name, value!];
}

/** Another program on the port would answer instead of the cluster, such as a Berth on this machine. */
async function needPort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new SetUpError(`Port ${port} of this machine cannot be had (${error.code}): --port names another one.`);
  });
  await new Promise((resolve) => server.close(resolve));
}

type StorageClasses = { items: { metadata: { name: string; annotations?: Record<string, string> } }[] };

/** Without one the claim of Berth itself waits for ever. */
async function needStorage(wanted: string | undefined): Promise<void> {
  const { items } = await kubectlJson<StorageClasses>('get', 'storageclass');
  const names = items.map(({ metadata }) => metadata.name);
  const isDefault = ({ metadata }: StorageClasses['items'][number]) =>
    Object.entries(metadata.annotations ?? {}).some(([key, on]) => /is-default-class$/.test(key) && on === 'true');
  if (wanted === undefined ? items.some(isDefault) : names.includes(wanted)) return;
  const there = names.length > 0 ? `it has ${names.join(', ')}` : 'it has no storage classes';
  throw new SetUpError(
    wanted === undefined
      ? `The cluster has no default storage class (${there}): name one with --set BERTH_STORAGE_CLASS=NAME.`
      : `The cluster has no storage class ${wanted}: ${there}.`,
  );
}

async function apply(overlay: Parameters<typeof overlayFiles>[0]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-manifests-'));
  try {
    await cp(manifests, folder, { recursive: true });
    const own = join(folder, 'started');
    await mkdir(own);
    const files = overlayFiles(overlay, await readFile(join(folder, 'small/settings.yaml'), 'utf8'));
    for (const [file, text] of Object.entries(files)) await writeFile(join(own, file), text);
    if (!(await showKubectl('apply', '-k', own)))
      throw new SetUpError('kubectl could not apply all manifests. Its errors are above. You can repeat the command.');
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function untilReady(): Promise<void> {
  const inNamespace = ['--namespace', berthNamespace];
  if (await showKubectl(...inNamespace, 'rollout', 'status', 'deployment/berth', `--timeout=${rolloutPatience}`))
    return;
  await showKubectl(...inNamespace, 'get', 'pods', '--output=wide');
  await showKubectl(...inNamespace, 'logs', 'deployment/berth', '--tail=15');
  throw new SetUpError(
    `Berth does not become ready; its last words stand above, and \`kubectl -n ${berthNamespace} describe pods\` may say more.`,
  );
}

/**
 * Forwards a port to one pod. After the pod has ended, kubectl keeps listening and fails each connection. Then a new
 * process forwards to the next pod.
 */
function forward(port: number) {
  let isClosed = false;
  let said = '';
  /** The port that kubectl reports. Another program may use the wanted one. */
  let localPort: number | undefined;
  let running = open();

  function open() {
    const words = ['--namespace', berthNamespace, 'port-forward', 'service/berth', `${port}:80`];
    const child = spawn('kubectl', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface(child.stdout).on('line', (line) => {
      const [, found] = /^Forwarding from 127\.0\.0\.1:(\d+) /.exec(line) ?? [];
      if (found !== undefined) localPort = Number(found);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said = chunk.toString();
      if (/error|lost connection/i.test(said)) child.kill();
    });
    child.once('close', () => {
      localPort = undefined;
      if (isClosed) return;
      setTimeout(() => {
        if (!isClosed) running = open();
      }, 1_000);
    });
    return child;
  }

  return {
    /** Resolves with the port of this machine that leads to Berth. */
    async untilOpen(): Promise<number> {
      const end = AbortSignal.timeout(120_000);
      for (;;) {
        const askedPort = localPort;
        if (askedPort !== undefined) {
          const signal = AbortSignal.timeout(10_000);
          const answer = await fetch(`http://127.0.0.1:${askedPort}/readyz`, { signal }).catch(() => undefined);
          if (answer?.ok && localPort === askedPort) return askedPort;
        }
        if (end.aborted || /address already in use/i.test(said))
          throw new StartError(
            `Port ${port} of this machine does not lead to Berth: ${said.trim() || 'nothing answers'}. --port names another one.`,
          );
        await delay(250);
      }
    },
    close() {
      isClosed = true;
      running.kill();
    },
  };
}
