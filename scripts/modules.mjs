/**
 * Installs the node modules when they are missing or older than the lockfile. Plain JavaScript without a dependency:
 * it runs under whatever Node the machine has, before the project's own Node is there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
// A copy of the lockfile that was installed: times of files say little after a clone or a change of branch.
const installed = join(root, 'node_modules/.berth-installed-lock.json');
/** Of what npm says when it fails. */
const shownLines = 40;

if (isCurrent()) process.exit();
process.stdout.write('Installing node modules with npm ci (about 40 s) … ');
const startedAt = Date.now();
// No package may run anything, but the one that brings Node: others would compile additions to the machine's Node, which
// the project's own loads with that one's library beside its own, and crashes (ssh2, seen on Debian 13 with a compiler).
const steps = [
  ['ci', '--no-audit', '--no-fund', '--ignore-scripts'],
  // Also where somebody's own settings let none.
  ['rebuild', '--ignore-scripts=false', 'node'],
];
let outcome;
for (const step of steps) {
  outcome = spawnSync('npm', step, { cwd: root, encoding: 'utf8' });
  if (outcome.status !== 0) break;
}
const { status, stderr, error } = outcome;
if (status === 0) {
  writeFileSync(installed, lockfile);
  process.stdout.write(`done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
} else {
  process.stdout.write('failed\n');
  process.stderr.write(`${error ? `npm could not be run: ${error.message}` : whatFailed(stderr ?? '')}\n`);
  process.exitCode = 1;
}

/** Without warnings, which can be many; of what is long the beginning and the end: npm says what is wrong in either. */
function whatFailed(said) {
  const lines = said.trim().split('\n');
  const told = lines.filter((line) => !/^npm (warn|notice)\b/i.test(line));
  if (told.length <= shownLines) return told.join('\n');
  const [first, last] = [told.slice(0, shownLines / 2), told.slice(-shownLines / 2)];
  return [...first, `… (${told.length - shownLines} lines more)`, ...last].join('\n');
}

function isCurrent() {
  if (existsSync(installed)) return readFileSync(installed, 'utf8') === lockfile;
  return wasInstalledByHand();
}

/**
 * Whether npm's own record of what it installed names the same versions as the lockfile, and Node is there: an installation
 * whose second step was ended or has failed has the record alone.
 */
function wasInstalledByHand() {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record) || !existsSync(join(root, 'node_modules/node/bin/node'))) return false;
  const there = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = Object.entries(JSON.parse(lockfile).packages).filter(([path]) => path !== '');
  return wanted.every(([path, { version, optional }]) => optional || there[path]?.version === version);
}
