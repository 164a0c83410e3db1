/** Databases of an application, which snapshots save with the databases' own tools; queried in their containers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { provideMariadb } from '../images/mariadb/recipe.ts';
import { type Berth, createBerth, named, type Started, until } from './berth.ts';
import { claim } from './claimed.ts';

export const run = promisify(execFile);
export const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const onlyAsked = { BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never' };

export const pod = (name: string, lines: string) => `    - name: ${name}\n${lines}`;
export const books = pod(
  'books',
  `      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_USER: owner, POSTGRES_PASSWORD: "it's", POSTGRES_DB: "my \\"books\\"" }
      volumes: [{ name: data, size: 256Mi, mountPath: /var/lib/postgresql/data }]
`,
);
export const goods = pod(
  'goods',
  `      image: mariadb:10.11
      servicePorts: [3306]
      vars: { MARIADB_ROOT_PASSWORD: "it's", MARIADB_DATABASE: goods }
      volumes: [{ name: data, size: 512Mi, mountPath: /var/lib/mysql }]
`,
);
const web = pod('web', '      image: nginx:1\n      path: /\n      servicePorts: [80]\n');
export const yaml = (...pods: string[]) => `application:\n  name: keeper\n  pods:\n${web}${pods.join('')}`;

/** Runs a program in the container of a pod, which reads `input`. */
export async function inPod(berth: Berth, app: Started, pod: string, argv: string[], input = ''): Promise<string> {
  const running = run('docker', ['exec', '-i', await containerOf(berth, app, pod), ...argv]);
  running.child.stdin!.end(input);
  return (await running).stdout.trim();
}

export async function containerOf(berth: Berth, app: Started, pod: string): Promise<string> {
  const { id } = await berth.row(app);
  const [found] = await (await connectDocker()).listContainers({ filters: { name: [`berth-${id}-${pod}`] } });
  return found!.Id;
}

export const askBooks = (berth: Berth, app: Started, sql: string, database = 'my "books"') =>
  inPod(berth, app, 'books', ['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-d', database], sql);
export const askGoods = (berth: Berth, app: Started, sql: string) =>
  inPod(berth, app, 'goods', ['mariadb', '--user=root', "--password=it's", '-NB', 'goods'], sql);

export async function reported(berth: Berth, app: Started) {
  return (await berth.get(`/getSnapshots?${new URLSearchParams(named(app))}`)).body;
}

export async function ended(berth: Berth, app: Started, kind: 'snapshots' | 'restores', id: string) {
  return await until(`one of the ${kind} has ended`, async () => {
    const found = (await reported(berth, app))[kind].find((each: { id: string }) => each.id === id);
    return ['taken', 'done', 'failed'].includes(found.state) || found.problem ? found : undefined;
  });
}

/** Waits for the end of a restore. The service retries after some problems, such as the lock of a killed process. */
export async function restoreEnded(berth: Berth, app: Started, id: string) {
  return await until('the restore has ended', async () => {
    const found = (await reported(berth, app)).restores.find((each: { id: string }) => each.id === id);
    return ['done', 'failed'].includes(found.state) ? found : undefined;
  });
}

export async function take(berth: Berth, app: Started) {
  const { status, body, text } = await berth.postJson('/createSnapshot', { ...named(app), dump: true });
  assert.equal(status, 200, text);
  return await ended(berth, app, 'snapshots', body.snapshot.id);
}

export async function begin(t: { after: (end: () => Promise<void>) => void }, ...pods: string[]) {
  await provideMariadb(await connectDocker());
  const berth = await createBerth(onlyAsked);
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml(...pods));
  await berth.reach(app, 'running');
  await claim(berth, app);
  return { berth, app };
}
