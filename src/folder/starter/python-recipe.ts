/** A folder with a Python program. */
import { basename, dirname, join } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import { copyAll, programStage, type Recipe } from './recipe.ts';
import { firstThere, isThere, portIn, readText } from './texts.ts';

const port = 8000;
const usualPython = '3.13';
const ignored = ['.venv', 'venv', '__pycache__'];
const names = ['main.py', 'app.py', 'server.py', 'run.py', 'wsgi.py', 'asgi.py'];
const mains = [
  ...names,
  ...['app', 'src', 'api', 'backend'].flatMap((folder) => names.map((name) => `${folder}/${name}`)),
];
/** Folders that are looked through for the settings of Django. */
const maxFolders = 200;

/** Undefined without packages that are named, and without a program that is known. */
export function pythonRecipe(files: FolderFiles): Recipe | undefined {
  const file = firstThere(files, ['requirements.txt', 'pyproject.toml', 'Pipfile']);
  if (file === undefined) return undefined;
  const needs = (readText(files, file) ?? '').toLowerCase();
  const main = firstThere(files, mains);
  const command = commandOf(needs, main, files);
  if (!command) return undefined;
  const isServed = command[0] !== 'python' || command[1] === 'manage.py';
  const said = isServed ? port : portIn(readText(files, main!), /\bport\s{0,9}=\s{0,9}(\d{2,5})\b/i);
  // The server of the program may be missing from its dependencies.
  const starter = ['uvicorn', 'flask'].find((name) => name === command[0] && !needs.includes(name));
  const lines = [
    ...programStage(pythonImage(files)),
    ...installLines(files, file, starter ? ` ${starter}` : ''),
    copyAll,
  ];
  return {
    found: `${file}, started with ${command.slice(0, 3).join(' ')}`,
    lines,
    env: { PYTHONUNBUFFERED: '1' },
    command,
    port: said ?? port,
    isGuess: said === undefined,
    ignored,
  };
}

function pythonImage(files: FolderFiles): string {
  const written = readText(files, '.python-version') ?? readText(files, 'runtime.txt') ?? '';
  return `python:${/^(?:python-)?(3\.\d{1,2})\b/.exec(written.trim())?.[1] ?? usualPython}-slim`;
}

/** Installs into the Python of the image, with the tool whose lock file exists. */
function installLines(files: FolderFiles, file: string, more: string): string[] {
  const pip = 'pip install --no-cache-dir';
  const extra = more === '' ? [] : [`RUN ${pip}${more}`];
  if (file === 'requirements.txt') return ['COPY requirements.txt ./', `RUN ${pip} -r requirements.txt${more}`];
  if (isThere(files, 'uv.lock')) {
    const requirements = 'uv export --frozen --no-dev --no-emit-project -o /tmp/requirements.txt';
    const commands = `${pip} uv && ${requirements} && ${pip} -r /tmp/requirements.txt`;
    return ['COPY pyproject.toml uv.lock ./', `RUN ${commands}`, ...extra];
  }
  if (isThere(files, 'poetry.lock')) {
    const install = 'POETRY_VIRTUALENVS_CREATE=false poetry install --only main --no-root --no-interaction';
    return ['COPY pyproject.toml poetry.lock ./', `RUN ${pip} poetry && ${install}`, ...extra];
  }
  if (file === 'Pipfile') {
    const [lock, option] = isThere(files, 'Pipfile.lock') ? ['Pipfile.lock ', '--deploy '] : ['', '--skip-lock '];
    return [`COPY Pipfile ${lock}./`, `RUN ${pip} pipenv && pipenv install --system ${option}`.trimEnd(), ...extra];
  }
  return ['COPY . .', `RUN ${pip} .${more}`];
}

function commandOf(needs: string, main: string | undefined, files: FolderFiles): string[] | undefined {
  const address = `0.0.0.0:${port}`;
  const hasGunicorn = /\bgunicorn\b/.test(needs);
  if (isThere(files, 'manage.py')) {
    const settings = hasGunicorn ? folderWith('wsgi.py', files) : undefined;
    return settings ? ['gunicorn', '-b', address, `${settings}.wsgi`] : ['python', 'manage.py', 'runserver', address];
  }
  if (main === undefined) return undefined;
  const module = moduleOf(main);
  const text = readText(files, main) ?? '';
  if (/\b(?:fastapi|starlette|litestar)\b/.test(needs)) {
    const name = objectOf(text, 'FastAPI|Starlette|Litestar') ?? 'app';
    return ['uvicorn', `${module}:${name}`, '--host', '0.0.0.0', '--port', `${port}`];
  }
  if (/\bstreamlit\b/.test(needs))
    return ['streamlit', 'run', main, '--server.address', '0.0.0.0', '--server.port', `${port}`];
  if (/\bflask\b/.test(needs)) {
    const name = objectOf(text, 'Flask');
    if (hasGunicorn) return ['gunicorn', '-b', address, `${module}:${name ?? 'app'}`];
    return ['flask', '--app', module, 'run', '--host', '0.0.0.0', '--port', `${port}`];
  }
  return ['python', main];
}

/** `app/main.py` as Python imports it: `app.main`. */
function moduleOf(main: string): string {
  const folder = dirname(main);
  return `${folder === '.' ? '' : `${folder}.`}${basename(main, '.py')}`;
}

/** The variable of the module that holds the application: `api` in `api = FastAPI(…)`. */
function objectOf(text: string, classes: string): string | undefined {
  return new RegExp(`^(\\w{1,64})\\s{0,9}(?::[^=\\n]{1,99})?=\\s{0,9}(?:\\w+\\.)?(?:${classes})\\(`, 'm').exec(
    text,
  )?.[1];
}

function folderWith(name: string, files: FolderFiles): string | undefined {
  const folders = files.list(files.folder, maxFolders).map((entry) => entry.name);
  return folders.find((folder) => /^\w+$/.test(folder) && isThere(files, join(folder, name)));
}
