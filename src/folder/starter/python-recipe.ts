/** A folder with a Python program. */
import { basename, join } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import type { Recipe } from './recipe.ts';
import { firstThere, isThere, portIn, readText } from './texts.ts';

const port = 8000;
const ignored = ['.venv', 'venv', '__pycache__'];
const mains = ['main.py', 'app.py', 'server.py', 'run.py', 'wsgi.py', 'asgi.py'];
/** Folders that are looked through for the settings of Django. */
const maxFolders = 200;

/** Undefined without packages that are named, and without a program that is known. */
export function pythonRecipe(files: FolderFiles): Recipe | undefined {
  const file = firstThere(files, ['requirements.txt', 'pyproject.toml']);
  if (file === undefined) return undefined;
  const needs = (readText(files, file) ?? '').toLowerCase();
  const main = firstThere(files, mains);
  const command = commandOf(needs, main, files);
  if (!command) return undefined;
  const isServed = command[0] !== 'python' || command[1] === 'manage.py';
  const said = isServed ? port : portIn(readText(files, main!), /\bport\s{0,9}=\s{0,9}(\d{2,5})\b/i);
  const install = file === 'requirements.txt' ? '-r requirements.txt' : '.';
  // What starts it may be no dependency of the program itself.
  const starter = ['uvicorn', 'flask'].find((name) => name === command[0] && !needs.includes(name));
  const lines = [
    ...['FROM python:3.13-slim', 'WORKDIR /app'],
    ...(file === 'requirements.txt' ? ['COPY requirements.txt ./'] : ['COPY . .']),
    `RUN pip install --no-cache-dir ${install}${starter ? ` ${starter}` : ''}`,
    ...(file === 'requirements.txt' ? ['COPY . .'] : []),
    `ENV PYTHONUNBUFFERED=1 PORT=${said ?? port}`,
    `EXPOSE ${said ?? port}`,
    `CMD ${JSON.stringify(command)}`,
  ];
  const dockerfile = `${lines.join('\n')}\n`;
  const found = `${file}, started with ${command.slice(0, 3).join(' ')}`;
  return { found, dockerfile, port: said ?? port, isGuess: said === undefined, ignored };
}

function commandOf(needs: string, main: string | undefined, files: FolderFiles): string[] | undefined {
  const module = main && basename(main, '.py');
  const address = `0.0.0.0:${port}`;
  const hasGunicorn = /\bgunicorn\b/.test(needs);
  if (isThere(files, 'manage.py')) {
    const settings = hasGunicorn ? folderWith('wsgi.py', files) : undefined;
    return settings ? ['gunicorn', '-b', address, `${settings}.wsgi`] : ['python', 'manage.py', 'runserver', address];
  }
  if (main === undefined || module === undefined) return undefined;
  if (/\b(?:fastapi|starlette)\b/.test(needs))
    return ['uvicorn', `${module}:app`, '--host', '0.0.0.0', '--port', `${port}`];
  if (/\bstreamlit\b/.test(needs))
    return ['streamlit', 'run', main, '--server.address', '0.0.0.0', '--server.port', `${port}`];
  if (/\bflask\b/.test(needs)) {
    if (hasGunicorn) return ['gunicorn', '-b', address, `${module}:app`];
    return ['flask', '--app', module, 'run', '--host', '0.0.0.0', '--port', `${port}`];
  }
  return ['python', main];
}

function folderWith(name: string, files: FolderFiles): string | undefined {
  const folders = files.list(files.folder, maxFolders).map((entry) => entry.name);
  return folders.find((folder) => /^\w+$/.test(folder) && isThere(files, join(folder, name)));
}
