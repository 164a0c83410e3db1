/** PURE. The codes of errors, in Markdown. */
import { problemCodes } from '../../src/lib/problem.ts';
import { table } from './markdown.ts';

export function renderErrors(): string {
  const rows = Object.entries(problemCodes).map(([code, { status, meaning }]) => {
    return [`\`${code}\``, String(status), `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`];
  });
  return `# Error codes

Each refused request is answered with JSON. \`code\` is one of these values, \`error\` says what is wrong, and \`hint\`
says what to do next. Codes of configurations are [diagnostics](diagnostics.md).

${table(['Code', 'Status', 'Meaning'], rows)}`;
}
