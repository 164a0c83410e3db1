/** PURE. The codes of diagnostics, in Markdown. */
import { composeCodes } from '../../src/config/compose/compose-codes.ts';
import { codes } from '../../src/config/diagnostics/diagnostic-codes.ts';
import { table } from './markdown.ts';

export function renderDiagnostics(): string {
  const rows = (meanings: Readonly<Record<string, string>>) => {
    return table(
      ['Code', 'Meaning'],
      Object.entries(meanings).map(([code, meaning]) => [`\`${code}\``, meaning]),
    );
  };
  return `# Diagnostics

The service reports all problems of a document at once, in document order, at most 100. Errors refuse the document.
Warnings do not, and notes need no action. Each diagnostic has a severity, a stable code, the path, line and column, a
message and usually a hint. A certain correction is a \`fix\`: \`{ from, to, text }\` replaces the text between two
offsets.

## Configurations

${rows(codes)}

## Compose files

Compose files have these codes in addition, or with another meaning.

${rows(composeCodes)}`;
}
