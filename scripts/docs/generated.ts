/** `npm run docs` writes the generated pages in docs/reference. A test compares them with their sources. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeDescription } from '../../src/api/description/description.ts';
import { testApi } from '../../test/support/api.ts';
import { renderCommands } from './commands.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { renderErrors } from './errors.ts';
import { renderEvents } from './events.ts';
import { renderMetrics } from './metrics.ts';
import { type Description, renderRequests } from './requests.ts';
import { renderSettings } from './settings.ts';

const notice = '<!-- Written by `npm run docs`. Edit its source, or scripts/docs. -->';

/** The expected content of the pages, by file. */
export async function wantedPages(): Promise<ReadonlyMap<string, string>> {
  const pages = {
    commands: await renderCommands(),
    diagnostics: renderDiagnostics(),
    errors: renderErrors(),
    events: renderEvents(),
    metrics: await renderMetrics(),
    requests: renderRequests(await describedApi()),
    settings: renderSettings(),
  };
  return new Map(
    Object.entries(pages).map(([name, text]) => {
      return [join(import.meta.dirname, '../../docs/reference', `${name}.md`), `${notice}\n\n${text}\n`];
    }),
  );
}

async function describedApi(): Promise<Description> {
  const api = await testApi();
  await api.app.ready();
  const description = wholeDescription(api.app);
  await api.app.close();
  return description as unknown as Description;
}

if (import.meta.main) {
  for (const [file, text] of await wantedPages()) await writeFile(file, text);
}
