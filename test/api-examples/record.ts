/** `node test/api-examples/record.ts`: writes the examples of the description from what a real service answers. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { playStory, type RecordedStory } from './story.ts';

const file = join(import.meta.dirname, '../../src/api/description/examples.json');

const reported = await playStory();
await writeFile(file, `${JSON.stringify(await withExampleValues(reported), undefined, 2)}\n`);

/** Replaces values of one run or one machine with the values that readers expect in an example. */
async function withExampleValues(reported: RecordedStory): Promise<unknown> {
  const { environment } = reported.startDeployment!.answer as { environment: string };
  const start = Date.parse((reported.getDeploymentStatus!.answer as { createdAt: string }).createdAt);
  const noon = Date.UTC(2026, 0, 1, 12);
  const text = JSON.stringify(reported)
    .replaceAll(environment, 'jolly-tapir')
    .replace(/(localhost|shop\.example\.com):\d+/g, '$1:8080')
    .replace(/(berth|berthhook|claim|berthkey|login|share)_[A-Za-z0-9_-]{16,}/g, '$1_example')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => new Date(noon + Date.parse(instant) - start).toISOString());
  return JSON.parse(text);
}
