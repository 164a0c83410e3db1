/** PURE. The text of each result: state, address and next step. The structured content has the data. */
import type { AnswerOf, Deployment, LogLine, Started } from '../client/client.ts';

export type Templates = { templates: readonly { name: string; document?: string }[] };
type Begun = Omit<Started, 'sessionToken'> & { sessionToken?: string };
type Trial = { message: string; dryRun: true; warnings: string[] };

/** Also for a template that is asked for by name, which comes with its document. */
export function sayTemplates({ templates }: Templates): string {
  const names = templates.map(({ name }) => name);
  if (templates[0]?.document !== undefined) return `Template ${names[0]}. Call deploy with its document.`;
  if (names.length === 0) return 'No template matches. Search for fewer words.';
  return `${count(names.length, 'template')}: ${names.join(', ')}. Call templates with a name to get its document.`;
}

export function sayValidation({ valid, errors, warnings, images, fixedErrors }: AnswerOf<'validateConfig'>): string {
  if (!valid) {
    const isRepaired = fixedErrors?.length === 0;
    const next = isRepaired ? 'Deploy the document in `fixed`.' : 'Correct it and call validate again.';
    return `The document is not valid: ${firstOf(errors)} ${next}`;
  }
  const looked = images === 'checked' ? 'The server can get its images.' : 'Its images were not checked.';
  return `The document is valid${withWarnings(warnings)}. ${looked} Call deploy.`;
}

export function sayStart(started: Begun | Trial): string {
  if ('dryRun' in started) return `${started.message}${afterWarnings(started.warnings)}`;
  const { applicationName, status, url, sessionToken, warnings } = started;
  const withToken = sessionToken === undefined ? '' : ` with sessionToken ${sessionToken}`;
  const { state } = status;
  return `Application ${applicationName} is ${state}${withWarnings(warnings)}. URL: ${url} Call status${withToken} until it runs.`;
}

export function sayUpdate(updated: AnswerOf<'updateDeployment'>): string {
  if ('dryRun' in updated) return `${updated.message}${afterWarnings(updated.warnings)}`;
  const { status, url, warnings } = updated;
  return `Revision ${status.revision} is ${status.state}${withWarnings(warnings)}. URL: ${url} Call status until it runs.`;
}

export function sayPreview({ pods, refusal }: AnswerOf<'previewUpdate'>): string {
  if (refusal) return `The update would be refused: ${refusal.error}`;
  const changed = pods.filter(({ change }) => change !== 'unchanged').map(({ name, change }) => `${name} ${change}`);
  if (changed.length === 0) return 'No pod changes.';
  return `${changed.join(', ')}; ${pods.length - changed.length} unchanged. Call update to apply it.`;
}

export function sayStatus({ applicationName, url, status }: Deployment): string {
  const { health, message } = status;
  const why = message === undefined ? '' : `: ${message}`;
  const [state, next] = healths[health];
  return `Application ${applicationName} ${state}${why}. URL: ${url} ${next}`.trim();
}

const healths: Record<Deployment['status']['health'], [state: string, next: string]> = {
  deploying: ['is deploying', 'Call status again.'],
  running: ['is running', ''],
  degraded: ['is degraded', 'Call logs to find the cause.'],
  serving: ['serves an earlier revision', 'Correct the document and call update.'],
  failed: ['has failed', 'Correct the document and call update.'],
  stopped: ['is stopped', ''],
  expired: ['has expired', 'Call restore to bring it back.'],
};

export function sayLines({ lines }: { lines: readonly LogLine[] }): string {
  if (lines.length === 0) return 'No lines.';
  const pods = [...new Set(lines.map(({ pod }) => pod))];
  return `${count(lines.length, 'line')} of ${pods.join(', ')}.`;
}

export function sayList({ reservedDeployments }: AnswerOf<'listDeployments'>): string {
  if (reservedDeployments.length === 0) return 'No deployments. Call deploy to start one.';
  const each = reservedDeployments.map(
    ({ applicationName, url, status }) => `${applicationName} is ${status.state} at ${url}`,
  );
  return `${count(each.length, 'deployment')}: ${each.join(', ')}`;
}

export function sayLimits({ deployments: { used, most } }: AnswerOf<'getLimits'>): string {
  return `${used} of ${count(most, 'deployment')} in use.`;
}

/** For operations that answer a sentence themselves. */
export function sayMessage({ message }: { message: string }): string {
  return message;
}

export function sayClaimLink({ message }: { message: string }): string {
  return `${message} Give the link to the person.`;
}

export function sayRestored({ message, url }: { message: string; url: string }): string {
  return `${message} URL: ${url} Call status until it runs.`;
}

function firstOf(errors: readonly string[]): string {
  const [first = '', ...others] = errors;
  return others.length === 0 ? `${first}.` : `${first}; and ${count(others.length, 'other error')}.`;
}

function afterWarnings(warnings: readonly string[]): string {
  return warnings.length === 0 ? '' : ` There are ${count(warnings.length, 'warning')}.`;
}

function withWarnings(warnings: readonly string[]): string {
  return warnings.length === 0 ? '' : `, with ${count(warnings.length, 'warning')}`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
