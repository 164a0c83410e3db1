/** A test that never comes to its end: opens an `edge` or a `berth`, says where, and waits. Its own test kills it. */
import { openEdge } from '../support/edge.ts';
import { createBerth } from './berth.ts';

console.log(process.argv[2] === 'edge' ? (await openEdge()).settings.dataDir : await serve());
setInterval(() => {}, 60_000);

async function serve(): Promise<string> {
  const berth = await createBerth();
  await berth.serve();
  return berth.settings.dataDir;
}
