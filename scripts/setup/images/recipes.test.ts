import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { recipes } from './images.ts';

test('every file that a recipe copies from the repository is there, also when the recipe is part of a bundle', async () => {
  const assets = recipes.flatMap(({ assets = [] }) => assets);
  assert.ok(assets.length > 0);
  for (const { file } of assets) assert.ok((await stat(file)).isFile(), file);
});
