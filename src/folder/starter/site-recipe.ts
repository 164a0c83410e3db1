/** A folder with pages that only have to be served. */
import { dirname } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import { pagesStage, type Recipe } from './recipe.ts';
import { firstThere } from './texts.ts';

const places = ['.', 'public', 'dist', 'build', 'site', '_site', 'html', 'www', 'docs', 'src'];

export function siteRecipe(files: FolderFiles): Recipe | undefined {
  const found = firstThere(
    files,
    places.map((place) => (place === '.' ? 'index.html' : `${place}/index.html`)),
  );
  if (found === undefined) return undefined;
  const lines = pagesStage(`COPY ${dirname(found)} /usr/share/nginx/html`);
  return { found, lines, port: 80, isGuess: false, ignored: ['node_modules'] };
}
