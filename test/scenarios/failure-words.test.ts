/** For each way to fail the very words, as its owner reads them in the status and in the events; and what visitors see. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Docker from 'dockerode';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { removeBrought } from '../support/images.ts';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { byHand, workloadsOf } from './by-hand.ts';
import { engineOfTests, onDocker } from './engine-of-tests.ts';

const docker = new Docker();
const secret = 'very-secret-0123';
let berth: Berth;
let open: Registry;
let closed: Registry;
/** On a private address, and not listed by the operator. */
let inside: Registry;
let architecture: string;

before(async () => {
  ({ Arch: architecture } = await docker.version());
  const options = { architecture, foreignArchitecture: 's390x' };
  open = await startRegistry({ ...options, needsLogin: false });
  closed = await startRegistry({ ...options, needsLogin: true });
  inside = await startRegistry({ ...options, needsLogin: false });
  // Each failure here occurs long before the deadline.
  const registries = ['localhost:1', open.host, closed.host].map((host) => `${host} http`).join(';');
  const patience = { BERTH_TIMEOUTS: 'deploy=10m listen=2s drain=200ms' };
  berth = await createBerth({ ...patience, BERTH_REGISTRIES: registries });
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  await Promise.all([open, closed, inside].map((each) => each.close()));
  assert.equal(inside.requests(), 0, 'the forbidden address gets no request');
  await removeBrought(docker, open.host);
});

/** A way to fail: its document, and the message that it ends with. `says`: what the pod has written last. */
type Failure = {
  name: string;
  yaml: (name: string) => string;
  message: () => string;
  says?: string;
  /** The difference on a cluster. */
  elsewhere?: string;
};

const twoStarts = 'a cluster keeps the lines of the last two starts alone';

const fromImage = (image: () => string) => (name: string) => webYaml(name, 'x').replace('node:26-slim', image());
const listening = (how: string) => (name: string) => webYaml(name, 'x').replace('listen(3000)', how);
/** Runs this script instead, with a secret in its environment. */
const running =
  (script: string, fields: string[] = []) =>
  (name: string) =>
    webYaml(name, 'x', fields)
      .replace('vars: { ', `vars: { API_KEY: ${secret}, `)
      .replace('command: node /app/server.mjs', `command: [node, -e, ${JSON.stringify(script)}]`);
const checked = (path: string, answer: string, timeoutSeconds: number) => (name: string) =>
  webYaml(name, 'x', [
    `healthCheck: { path: ${path}, periodSeconds: 1, timeoutSeconds: ${timeoutSeconds}, failureThreshold: 2 }`,
  ]).replace('response.end(', answer);
/** Written at once: a reader during the next run reads all lines or none. */
const sixtyLines =
  'console.log(Array.from({ length: 60 }, (_, index) => `line ${index + 1} with ${process.env.API_KEY}`).join("\\n"));';

const failures: Failure[] = [
  {
    name: 'image-not-found',
    yaml: fromImage(() => `${open.host}/nothing:1`),
    message: () =>
      `pod web: Image ${open.host}/nothing:1 does not exist in the registry ${open.host} (check its name and tag)`,
  },
  {
    name: 'access-denied',
    yaml: fromImage(() => `${closed.host}/good:1`),
    message: () =>
      `pod web: The registry ${closed.host} refuses access to ${closed.host}/good:1 (add a registryLogin for this registry)`,
  },
  {
    name: 'wrong-architecture',
    yaml: fromImage(() => `${open.host}/foreign:1`),
    message: () =>
      `pod web: Image ${open.host}/foreign:1 has linux/s390x only; this server is linux/${architecture} (build it for this processor, for example with docker build --platform)`,
  },
  {
    name: 'private-registry',
    yaml: fromImage(() => `${inside.host}/good:1`),
    message: () =>
      `pod web: The registry ${inside.host} is at an address that is not of the public internet; ${inside.host}/good:1 is not pulled from there (name a public registry, or ask the operator to allow this one)`,
  },
  {
    name: 'registry-unreachable',
    yaml: fromImage(() => 'localhost:1/nothing:1'),
    message: () =>
      'pod web: The registry localhost:1 cannot be reached for localhost:1/nothing:1 (check its name; it starts as soon as its registry answers)',
  },
  {
    name: 'crash-loop',
    elsewhere: twoStarts,
    yaml: running(`${sixtyLines} process.exit(3);`),
    message: () => 'pod web: crash loop, restarted 5 times, exited with code 3 (its last lines may say why)',
    says: 'line 60 with [redacted]',
  },
  {
    name: 'silent-crash',
    yaml: running('process.exit(4);'),
    message: () => 'pod web: crash loop, restarted 5 times, exited with code 4 (it has written nothing)',
  },
  {
    name: 'no-such-command',
    yaml: (name) => webYaml(name, 'x').replace('command: node', 'entrypoint: /no/such/program\n      command: node'),
    message: () =>
      'pod web: crash loop, restarted 5 times, exited with code 127, command not found (check its command and entrypoint; a script with Windows line endings (CRLF) is not found either)',
    // On a cluster, a program that cannot start has no wrapper that would write output.
    ...(engineOfTests === 'docker' && {
      says: '[FATAL tini (N)] exec /no/such/program failed: No such file or directory ×5',
    }),
  },
  {
    name: 'out-of-memory',
    elsewhere: twoStarts,
    yaml: running('console.log("filling"); for (const held = []; ; ) held.push(Buffer.alloc(1e7, 1));', [
      'resources: { limits: { memory: 96Mi } }',
    ]),
    message: () =>
      'pod web: crash loop, restarted 5 times, killed for memory (limit 96 MiB) (raise resources.limits.memory)',
    says: 'filling ×5',
  },
  {
    name: 'another-port',
    yaml: listening('listen(4000)'),
    message: () =>
      'pod web: listens on 4000, not on 3000, unchanged for 2 s (make it listen on 3000, or write 4000 in its `servicePorts` (Compose: `ports` or `expose`))',
  },
  {
    name: 'localhost-only',
    yaml: listening("listen(3000, '127.0.0.1')"),
    message: () => 'pod web: listens on 127.0.0.1:3000 only, unchanged for 2 s (make it listen on 0.0.0.0:3000)',
  },
  {
    name: 'unhealthy',
    // Long enough for a machine that stands still: what does not answer in time is the next one.
    yaml: checked('/healthz', 'response.writeHead(500).end(', 60),
    message: () =>
      'pod web: health check /healthz answered 500, unchanged for 2 s (healthCheck.path has to answer 2xx or 3xx)',
  },
  {
    name: 'slow-check',
    yaml: checked('/slow', '(() => {})(', 1),
    message: () =>
      'pod web: health check /slow timed out after 1 s, unchanged for 2 s (it has to answer sooner, or healthCheck.timeoutSeconds has to be longer)',
  },
  {
    name: 'failing-job',
    // The web server waits for it: on a busy machine it may take longer to listen than it may here.
    yaml: (name) => `${webYaml(name, 'x', ['dependsOn: [seed]'])}    - name: seed
      image: node:26-slim
      resourceType: job
      vars: { API_KEY: ${secret} }
      command: [node, -e, "console.log('no table for ' + process.env.API_KEY); process.exit(2)"]
`,
    message: () => 'pod seed: tried 4 times, exited with code 2 (its last lines may say why)',
    says: 'no table for [redacted] ×4',
  },
  {
    name: 'no-gpu',
    elsewhere: 'a pod waits for a node with a GPU',
    yaml: (name) => webYaml(name, 'x', ['useGPU: true']),
    message: () =>
      'pod web: it requests a GPU, but containers on this host have no GPU available (leave out useGPU (Compose: its gpus or devices), or deploy it to a host that has one)',
  },
];

/**
 * Between two looks at a busy machine it may have crashed once more, process numbers are the kernel's to give, and a try
 * that comes later says what the tag was found to mean.
 */
function counted(text: string): string {
  return text
    .replaceAll(/restarted ([5-9]|[1-9]\d) times/g, 'restarted 5 times')
    .replaceAll(/ ×([5-9]|[1-9]\d)$/gm, ' ×5')
    .replaceAll(/tini \(\d+\)/g, 'tini (N)')
    .replaceAll(/@sha256:[0-9a-f]{64}/g, ':1');
}

describe('the words of each failure stand in the status and in the events, and on no page for visitors', {
  concurrency: true,
}, () => {
  for (const { name, yaml, message, says, elsewhere } of failures) {
    test(name, elsewhere === undefined ? {} : onDocker(elsewhere), async () => {
      const app = await berth.start(yaml(name));
      const status = await berth.reach(app, 'failed');
      assert.equal(counted(status.message), message());
      if (says !== undefined) assert.equal(counted(status.lastLines?.at(-1) ?? ''), says);
      if (name === 'unhealthy') assert.equal(status.pods[0].healthCheckBody, `x at ${app.url}/healthz`);
      if (name === 'crash-loop') {
        assert.equal(status.lastLines.length, 50);
        assert.equal(status.lastLines[0], 'line 11 with [redacted] ×3', 'of the last 200 lines, each once');
      }

      const page = await berth.visit(app.url, { headers: { accept: 'text/html' } });
      const json = await berth.visit(app.url);
      const events = await berth.eventsUntil(app, /^failed: pod/);
      const reported = events.find(({ kind, message }) => kind === 'state' && message.startsWith('failed: '))!.message;
      assert.equal(page.status, 502);
      assert.equal(json.body.error, `Application ${name} could not be deployed.`);
      assert.equal(counted(reported).split('\n')[0], `failed: ${message()}`);
      assert.ok(counted(reported).includes(says ?? ''), reported);
      for (const text of [page.text, json.text]) {
        assert.ok(!counted(text).includes(message()), text);
        assert.ok(says === undefined || !counted(text).includes(says), text);
        assert.doesNotMatch(
          text,
          /\b(?:web|seed|3000)\b|nothing:1|good:1|foreign:1|healthz/,
          'no pod, image, path or port',
        );
      }
      for (const text of [JSON.stringify(status), page.text, json.text, JSON.stringify(events)])
        assert.ok(!text.includes(secret), text);
      await berth.remove(app);
    });
  }
});

test('a pod that has failed because it listened elsewhere runs as soon as it listens where it should', async () => {
  const isMended = "process.getBuiltinModule('node:fs').existsSync('/tmp/mended')";
  const listens = 'createServer((_, response) => response.end()).listen(3000)';
  const mended = `const look = setInterval(() => ${isMended} && clearInterval(look) === undefined && ${listens}, 500)`;
  const app = await berth.start(listening(`listen(4000); ${mended}`)('late'));
  await berth.reach(app, 'failed');
  const [web] = await workloadsOf(berth, app, 'web');
  await byHand.run(web!, ['touch', '/tmp/mended']);
  await until('it runs', async () => (await berth.status(app)).state === 'running');
  assert.equal((await berth.visit(app.url)).status, 200);
  await berth.remove(app);
});
