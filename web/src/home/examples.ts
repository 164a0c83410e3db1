/** Examples to start from. The first one is bundled, and the others are loaded on selection. */
import hello from '../../../examples/hello.yaml?raw';

export type Example = { name: string; title: string; says: string; load: () => Promise<string> };

const files = import.meta.glob<string>('../../../examples/*.yaml', { query: '?raw', import: 'default' });

const load = (file: string) => files[`../../../examples/${file}.yaml`]!;

export const firstText = hello;

export const examples: readonly Example[] = [
  { name: 'hello', title: 'Hello', says: 'One page', load: async () => hello },
  { name: 'counter', title: 'Counter', says: 'A program and a cache', load: load('counter') },
  { name: 'notes', title: 'Notes', says: 'Data that survives updates', load: load('notes') },
  { name: 'guestbook', title: 'Guestbook', says: 'Page, API, database, cache', load: load('guestbook') },
  { name: 'compose', title: 'Compose file', says: 'A Docker Compose file', load: load('compose') },
];
