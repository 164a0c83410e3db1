/** Folders with a program in Ruby, PHP, or TypeScript for Deno. */
import type { FolderFiles } from '../folder-files.ts';
import { copyAll, programStage, type Recipe } from './recipe.ts';
import { firstThere, isThere, portIn, readText } from './texts.ts';

const aptInstall = (packages: string) =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`;

/** Rails, and other projects with a `config.ru`. */
export function rubyRecipe(files: FolderFiles): Recipe | undefined {
  const gems = readText(files, 'Gemfile');
  if (gems === undefined) return undefined;
  const isRails = isThere(files, 'config/application.rb');
  if (!isRails && !isThere(files, 'config.ru')) return undefined;
  const version = /^(?:ruby-)?(\d\.\d)/.exec(readText(files, '.ruby-version')?.trim() ?? '')?.[1] ?? '3';
  const locked = isThere(files, 'Gemfile.lock') ? 'Gemfile Gemfile.lock' : 'Gemfile';
  const port = isRails ? 3000 : 9292;
  const address = ['-b', '0.0.0.0', '-p', `${port}`];
  const rack = /^\s*gem\s+['"]puma['"]/m.test(gems)
    ? ['bundle', 'exec', 'puma', '-b', `tcp://0.0.0.0:${port}`]
    : ['bundle', 'exec', 'rackup', '-o', '0.0.0.0', '-p', `${port}`];
  const hasAssets = isRails && isThere(files, 'config/initializers/assets.rb');
  return {
    found: isRails ? 'Gemfile, with Rails' : 'Gemfile and config.ru',
    lines: [
      ...programStage(`ruby:${version}-slim`),
      aptInstall('build-essential git libpq-dev libyaml-dev pkg-config'),
      ...[`COPY ${locked} ./`, 'RUN bundle config set without development:test && bundle install'],
      copyAll,
      ...(hasAssets
        ? [
            'RUN SECRET_KEY_BASE_DUMMY=1 RAILS_ENV=production bundle exec rails assets:precompile && chown -R 1000 tmp log',
          ]
        : []),
    ],
    env: isRails
      ? { RAILS_ENV: 'production', RAILS_LOG_TO_STDOUT: '1', RAILS_SERVE_STATIC_FILES: '1' }
      : { RACK_ENV: 'production' },
    command: isRails ? ['bundle', 'exec', 'rails', 'server', ...address] : rack,
    port,
    isGuess: false,
    ignored: ['log', 'tmp', 'node_modules'],
  };
}

/**
 * A recipe for Laravel and other frameworks with a folder `public`, and for PHP pages. Apache of the official image
 * serves them.
 */
export function phpRecipe(files: FolderFiles): Recipe | undefined {
  const hasComposer = isThere(files, 'composer.json');
  const page = firstThere(files, ['public/index.php', 'web/index.php', 'index.php']);
  if (page === undefined) return undefined;
  const root = page === 'index.php' ? '' : `/${page.split('/')[0]}`;
  const isLaravel = isThere(files, 'artisan');
  const locked = isThere(files, 'composer.lock') ? 'composer.json composer.lock' : 'composer.json';
  const install = 'composer install --no-dev --no-scripts --no-autoloader --no-interaction --ignore-platform-reqs';
  const vendor = [
    ...['FROM composer:2 AS build', 'WORKDIR /app', `COPY ${locked} ./`, `RUN ${install}`, 'COPY . .'],
    ...['RUN composer dump-autoload --no-dev --optimize --no-scripts', ''],
  ];
  const from = hasComposer ? '--from=build /app/' : '.';
  const sites = '/etc/apache2/sites-available/*.conf /etc/apache2/apache2.conf';
  return {
    found: isLaravel ? 'composer.json, with Laravel' : page,
    lines: [
      ...(hasComposer ? vendor : []),
      'FROM php:8-apache',
      'RUN docker-php-ext-install pdo_mysql mysqli && a2enmod rewrite',
      ...(root === '' ? [] : [`RUN sed -i 's#/var/www/html#/var/www/html${root}#' ${sites}`]),
      `COPY --chown=www-data:www-data ${from} /var/www/html`,
    ],
    port: 80,
    isGuess: false,
    ignored: ['vendor', 'node_modules'],
  };
}

export function denoRecipe(files: FolderFiles): Recipe | undefined {
  const config = firstThere(files, ['deno.json', 'deno.jsonc']);
  const text = config === undefined ? '' : (readText(files, config) ?? '');
  const main = firstThere(files, ['main.ts', 'server.ts', 'mod.ts', 'src/main.ts', 'main.tsx', 'index.ts', 'main.js']);
  const hasTask = /"start"\s*:/.test(text);
  if ((config === undefined && !isThere(files, 'deno.lock')) || (main === undefined && !hasTask)) return undefined;
  const source = main === undefined ? '' : (readText(files, main) ?? '');
  const said = portIn(source, /\bport\s*:\s*(\d{2,5})\b/) ?? portIn(source, /\.listen\(\s*(\d{2,5})\b/);
  const port = said ?? 8000;
  const isServed = /^export default\b/m.test(source) && !hasTask;
  const command = hasTask
    ? ['deno', 'task', 'start']
    : isServed
      ? ['deno', 'serve', '-A', '--host', '0.0.0.0', '--port', `${port}`, main!]
      : ['deno', 'run', '-A', main!];
  return {
    found: `${config ?? 'deno.lock'}, started with ${command.slice(0, 3).join(' ')}`,
    lines: [
      ...programStage('denoland/deno:2'),
      ...['ENV DENO_DIR=/app/.deno', copyAll],
      ...(main === undefined ? [] : [`RUN deno cache ${main} && chown -R 1000 /app/.deno`]),
    ],
    command,
    port,
    // Deno.serve listens on 8000 by default.
    isGuess: false,
    ignored: ['node_modules', '.deno'],
  };
}

/** The command of the process `web` in a `Procfile`, which a shell runs. */
export function procfileCommand(files: FolderFiles): string[] | undefined {
  const line = /^web\s*:\s*(\S.*)$/m.exec(readText(files, 'Procfile') ?? '')?.[1];
  return line === undefined ? undefined : ['sh', '-c', `exec ${line.trim().replace(/^exec\s+/, '')}`];
}
