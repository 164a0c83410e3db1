/** The recipe for a folder without a Dockerfile. */
import type { FolderFiles } from '../folder-files.ts';
import { dotnetRecipe, goRecipe, javaRecipe, rustRecipe } from './compiled-recipes.ts';
import { denoRecipe, phpRecipe, procfileCommand, rubyRecipe } from './interpreted-recipes.ts';
import { nodeRecipe } from './node-recipe.ts';
import { pythonRecipe } from './python-recipe.ts';
import type { Recipe } from './recipe.ts';
import { siteRecipe } from './site-recipe.ts';
import { isThere } from './texts.ts';

/** Files that a recipe begins with, as people name them. */
export const lookedFor = [
  ...['Dockerfile', 'package.json', 'requirements.txt', 'pyproject.toml', 'Pipfile', 'go.mod', 'Cargo.toml', 'Gemfile'],
  ...['composer.json', 'index.php', 'pom.xml', 'build.gradle', '*.csproj', 'deno.json', 'index.html'],
];

/** Programs in Ruby, PHP and Python often have a `package.json` too, for their pages: that of Node comes after them. */
const ordered = [goRecipe, rustRecipe, javaRecipe, dotnetRecipe, rubyRecipe, phpRecipe, denoRecipe];

export function recipeOf(files: FolderFiles): Recipe | undefined {
  const isDjango = isThere(files, 'manage.py');
  const rest = isDjango ? [pythonRecipe, nodeRecipe, siteRecipe] : [nodeRecipe, pythonRecipe, siteRecipe];
  for (const recipe of [...ordered, ...rest]) {
    const found = recipe(files);
    if (found) return withProcfile(found, files);
  }
  return undefined;
}

/** Uses the start command of a `Procfile`. It listens on PORT, as on platforms that use this file. */
function withProcfile(recipe: Recipe, files: FolderFiles): Recipe {
  const command = recipe.command && procfileCommand(files);
  if (!command) return recipe;
  const isReported = command.join(' ').includes('$PORT') || command.join(' ').includes('${PORT');
  return {
    ...recipe,
    found: `${recipe.found}, started as Procfile says`,
    command,
    ...(isReported && { isGuess: false }),
  };
}
