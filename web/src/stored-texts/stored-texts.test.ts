import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftFrom, keyOf, readStored, storeIn, type TextStorage } from './stored-texts.ts';

/** Simulates a browser's storage for a number of characters. */
function storageOf(room = Number.POSITIVE_INFINITY): TextStorage & { names: () => string[] } {
  const entries = new Map<string, string>();
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem(key, value) {
      if (value.length > room) throw new Error('QuotaExceededError');
      entries.set(key, value);
    },
    removeItem: (key) => void entries.delete(key),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size;
    },
    names: () => [...entries.keys()],
  };
}

const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, '0')}:00.000Z`;

test('a stored text is read with its initial revision', () => {
  const storage = storageOf();
  storeIn(storage, 'draft/a/shop', { text: 'name: shop', keptAt: at(0), revision: 3 });
  assert.deepEqual(readStored(storage.getItem(keyOf('draft/a/shop'))), {
    text: 'name: shop',
    keptAt: at(0),
    revision: 3,
  });
});

test('foreign entries are not texts', () => {
  for (const stored of [null, '', 'no JSON', 'null', '7', '{"text":1,"keptAt":"x"}', '{"text":"x"}'])
    assert.equal(readStored(stored), undefined);
  assert.deepEqual(readStored('{"text":"x","keptAt":"y","revision":"<b>"}'), { text: 'x', keptAt: 'y' });
});

test('when the storage is full, the oldest texts are removed, and foreign entries stay', () => {
  const storage = storageOf();
  storage.setItem('berth.deployments', 'x'.repeat(3_000_000));
  const large = 'x'.repeat(700_000);
  for (const minute of [1, 3, 2]) storeIn(storage, `sent/${minute}`, { text: large, keptAt: at(minute) });
  storeIn(storage, 'sent/4', { text: large, keptAt: at(4) });
  assert.deepEqual(storage.names().sort(), ['berth.deployments', keyOf('sent/3'), keyOf('sent/4')]);
});

test('storing a text again does not remove the text itself', () => {
  const storage = storageOf();
  const large = 'x'.repeat(900_000);
  storeIn(storage, 'other', { text: large, keptAt: at(0) });
  for (const minute of [1, 2, 3]) storeIn(storage, 'draft', { text: large, keptAt: at(minute) });
  assert.deepEqual(storage.names().sort(), [keyOf('draft'), keyOf('other')]);
});

test('a storage that refuses writes is reported', () => {
  assert.equal(storeIn(storageOf(10), 'draft', { text: 'name: shop', keptAt: at(0) }), false);
});

test('a draft keeps its initial revision until it equals the present text', () => {
  const kept = { text: 'mine', keptAt: at(0), revision: 2 };
  assert.deepEqual(draftFrom(kept, 'theirs', 3), { text: 'mine', isChanged: true, begun: 2 });
  assert.deepEqual(draftFrom(kept, 'mine', 3), { text: 'mine', isChanged: false, begun: 3 });
  assert.deepEqual(draftFrom(undefined, 'theirs', 3), { text: 'theirs', isChanged: false, begun: 3 });
});
