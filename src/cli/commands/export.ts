/** `berth export`: the configuration as a Compose file or Kubernetes manifests, generated locally; or all data. */
import { exportCompose } from '../../config/export/compose-file.ts';
import { exportKubernetes } from '../../config/export/kubernetes.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import { type Run, targetOf } from './command.ts';
import { exportAll } from './export-all.ts';

const formats = ['compose', 'kubernetes', 'all'];

export const exportDeployment: Run = async (context) => {
  const { given, connection, options, terminal, signal } = context;
  const format = given[0] ?? 'compose';
  if (!formats.includes(format)) return terminal.fail(`Unknown format "${format}"; choose ${formats.join(' or ')}.`);
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (format === 'all') return await exportAll(context, target);
  const answer = await connection.client.call('getDeploymentConfiguration', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const parsed = parseConfiguration(answer.value.yaml);
  if (parsed.kind !== 'valid') {
    return terminal.fail('This command cannot read the configuration that the service has: it may be an older one.');
  }
  const withSecrets = options.secrets === true;
  const { text, notes } =
    format === 'compose'
      ? exportCompose(parsed.spec, { withSecrets })
      : exportKubernetes(parsed.spec, { withSecrets, host: await hostOf(context, target) });
  terminal.json({ format, revision: answer.value.revision, text, notes });
  terminal.print(text);
  for (const note of notes) terminal.note(printable(note));
  return statuses.done;
};

/** Where it is now, until it is said where it will be. */
async function hostOf({ connection, options, signal }: Parameters<Run>[0], query: { applicationName: string }) {
  if (typeof options.host === 'string') return options.host;
  const answer = await connection.client.call('getDeploymentStatus', { query, signal });
  return answer.ok ? new URL(answer.value.url).hostname : `${query.applicationName}.example.com`;
}
