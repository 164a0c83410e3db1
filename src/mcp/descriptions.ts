/**
 * PURE. The text of each result: state, address and next step. Many clients show a model nothing else, so it also contains
 * log lines, documents, errors and warnings. The structured content has the rest of the data.
 */
import type { AnswerOf, Deployment, LogLine, Started } from '../client/client.ts';

export type Templates = { templates: readonly { name: string; document?: string }[] };
type Begun = Omit<Started, 'sessionToken'> & { sessionToken?: string };
type Trial = { message: string; dryRun: true; warnings: string[] };

/** Describes templates. The result for a template that is requested by name contains its document. */
export function describeTemplates({ templates }: Templates): string {
  const names = templates.map(({ name }) => name);
  const document = templates[0]?.document;
  if (document !== undefined) return `Template ${names[0]}. Call deploy with its document:\n\n${document}`;
  if (names.length === 0) return 'No template matches. Search for fewer words.';
  return `${count(names.length, 'template')}: ${names.join(', ')}. Call templates with a name to get its document.`;
}

export function describeValidation(found: AnswerOf<'validateConfig'>): string {
  const { valid, errors, warnings, images, fixed, fixedErrors } = found;
  if (!valid) {
    const wrong = `The document is not valid.${listed([...errors, ...warnings])}`;
    if (fixed === undefined || fixedErrors?.length !== 0) return `${wrong}\nCorrect it and call validate again.`;
    return `${wrong}\nThis document is valid. Check it, then call deploy with it:\n\n${fixed}`;
  }
  const looked = images === 'checked' ? 'The server can get its images.' : 'Its images were not checked.';
  return `The document is valid. ${looked} Call deploy.${listed(warnings)}`;
}

export function describeStart(started: Begun | Trial): string {
  if ('dryRun' in started) return `${started.message}${listed(started.warnings)}`;
  const { applicationName, status, url, sessionToken, warnings } = started;
  const withToken = sessionToken === undefined ? '' : ` with sessionToken ${sessionToken}`;
  const { state } = status;
  return `Application ${applicationName} is ${state}. URL: ${url} Call status${withToken} until it runs.${listed(warnings)}`;
}

export function describeUpdate(updated: AnswerOf<'updateDeployment'>): string {
  if ('dryRun' in updated) return `${updated.message}${listed(updated.warnings)}`;
  const { status, url, warnings } = updated;
  return `Revision ${status.revision} is ${status.state}. URL: ${url} Call status until it runs.${listed(warnings)}`;
}

export function describePreview({ pods, refusal }: AnswerOf<'previewUpdate'>): string {
  if (refusal) return `The update would be refused: ${refusal.error}`;
  const changed = pods.filter(({ change }) => change !== 'unchanged').map(({ name, change }) => `${name} ${change}`);
  if (changed.length === 0) return 'No pod changes.';
  return `${changed.join(', ')}; ${pods.length - changed.length} unchanged. Call update to apply it.`;
}

export function describeStatus({ applicationName, url, status }: Deployment): string {
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
  asleep: ['is asleep', 'A request to its URL wakes it up.'],
  expired: ['has expired', 'Call restore to bring it back.'],
};

export function describeLines({ lines }: { lines: readonly LogLine[] }): string {
  if (lines.length === 0) return 'No lines.';
  return lines.map(({ pod, text }) => `${pod}: ${text}`).join('\n');
}

export function describeList({ reservedDeployments }: AnswerOf<'listDeployments'>): string {
  if (reservedDeployments.length === 0) return 'No deployments. Call deploy to start one.';
  const each = reservedDeployments.map(
    ({ applicationName, url, status }) => `${applicationName} is ${status.state} at ${url}`,
  );
  return `${count(each.length, 'deployment')}: ${each.join(', ')}`;
}

export function describeLimits({ deployments: { used, most } }: AnswerOf<'getLimits'>): string {
  return `${used} of ${count(most, 'deployment')} in use.`;
}

/** For operations that answer a sentence themselves. */
export function describeMessage({ message }: { message: string }): string {
  return message;
}

export function describeClaimLink({ message }: { message: string }): string {
  return `${message} Give the link to the person.`;
}

export function describeRestored({ message, url }: { message: string; url: string }): string {
  return `${message} URL: ${url} Call status until it runs.`;
}

/** Prints each finding on a separate line. */
function listed(findings: readonly string[]): string {
  return findings.map((finding) => `\n- ${finding}`).join('');
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
