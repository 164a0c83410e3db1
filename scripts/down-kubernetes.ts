/** `npm run down:kubernetes`: removes Berth from the cluster of the current context, with all its deployments. */
import { parseArgs } from 'node:util';
import { labelKeys } from '../src/engine/labels.ts';
import { isConfirmed } from './kubernetes/confirm.ts';
import { berthNamespace, currentContext, kubectl, showKubectl } from './kubernetes/kubectl.ts';
import { SetUpError } from './setup/announce.ts';

const help = `Removes Berth from the cluster of kubectl's current context, with all applications and their data.

  --yes        do not ask
  --owner ID   the installation, where Berth does not run there any more: \`kubectl get namespaces -L ${labelKeys.owner}\`
               shows which there are
`;

/** The database of `small`; `fleet` has its database elsewhere. */
const askId = `const { DatabaseSync } = require('node:sqlite');
console.log(new DatabaseSync('/var/lib/berth/berth.db', { readOnly: true }).prepare('select id from installation').get().id)`;

try {
  const { values } = parseArgs({
    options: { yes: { type: 'boolean' }, owner: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) process.stdout.write(help);
  else await down(values);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function down({ yes, owner: named }: { yes?: boolean | undefined; owner?: string | undefined }): Promise<void> {
  const { name, server } = await currentContext();
  const owner = named ?? (await findOwner());
  const selector = `${labelKeys.owner}=${owner}`;
  const found = (await kubectl('get', 'namespaces', '--selector', selector, '--output=name'))
    .split('\n')
    .filter(Boolean);
  const count = found.length === 1 ? 'one deployment' : `${found.length} deployments`;
  console.log(`This removes Berth from the cluster of the context ${name}, ${server}, and ${count} with all data.`);
  if (!(await isConfirmed(yes))) process.exit(1);
  // Berth is removed first, because it would create removed objects again.
  const steps = [
    ['delete', 'namespace', berthNamespace, '--ignore-not-found'],
    ['delete', 'namespaces', '--selector', selector],
    ['delete', 'clusterrole/berth', 'clusterrolebinding/berth', '--ignore-not-found'],
  ];
  const done: boolean[] = [];
  for (const words of steps) done.push(await showKubectl(...words));
  if (done.includes(false))
    throw new SetUpError(`Something is left, as it says above; repeat it with --owner ${owner}.`);
  console.log('Everything is removed.');
}

/** Only Berth itself knows its namespaces. A cluster may have several installations. */
async function findOwner(): Promise<string> {
  return await kubectl('--namespace', berthNamespace, 'exec', 'deployment/berth', '--', 'node', '-e', askId).catch(
    (error: Error) => {
      throw new SetUpError(
        `Berth does not report which namespaces belong to it (${error.message}). Add --owner ID; \`kubectl get namespaces -L ${labelKeys.owner}\` lists the ids.`,
      );
    },
  );
}
