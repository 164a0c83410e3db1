/** PURE. Why a build has failed, from the end of its output: the step, and a likely fix for the usual errors. */
import { describeBuildStep, readBuildStep } from '../deployment/build/build-steps.ts';

type Cause = { pattern: RegExp; hint: string | ((found: RegExpExecArray) => string) };

const nodeVersionHint = 'use a base image with the Node version that "engines" in package.json requires';

/** The first that matches counts. */
const causes: Cause[] = [
  {
    pattern: /npm (?:error|ERR!).*(?:can only install with an existing package-lock|package-lock\.json.* in sync)/i,
    hint: 'run npm install, add package-lock.json to the source, or use npm install in the Dockerfile instead of npm ci',
  },
  {
    pattern: /npm (?:error|ERR!) Missing script: "?([\w:-]+)/i,
    hint: ([, script]) => `add the script "${script}" to package.json`,
  },
  { pattern: /ERR_PNPM_(?:NO|OUTDATED)_LOCKFILE/, hint: 'run pnpm install and add pnpm-lock.yaml to the source' },
  { pattern: /Your lockfile needs to be updated/i, hint: 'run yarn install and add yarn.lock to the source' },
  {
    pattern: /npm (?:error|ERR!) code ERESOLVE|ERR_PNPM_PEER_DEP_ISSUES/,
    hint: 'two packages need different versions of a third one: make their versions in package.json agree, or write legacy-peer-deps=true into .npmrc',
  },
  {
    pattern: /npm (?:error|ERR!) code EBADENGINE|The engine "node" is incompatible/i,
    hint: nodeVersionHint,
  },
  {
    pattern: /JavaScript heap out of memory|exited on killed|signal: killed|exit status 137|Killed$/m,
    hint: 'the build needs more memory than it may use; build less at once, for example with NODE_OPTIONS=--max-old-space-size=512',
  },
  {
    pattern: /no space left on device/i,
    hint: 'the build needs more disk space than its limit; add unneeded files to .dockerignore',
  },
  {
    pattern:
      /gyp ERR!|make: (?:not found|command not found)|(?:gcc|g\+\+|cc)(?:'|")?:? (?:not found|command not found|failed)/i,
    hint: 'a package is compiled: install a compiler in the Dockerfile (apt-get install -y build-essential python3), or use a base image with one',
  },
  { pattern: /Cannot find module '([^']+)'/, hint: ([, name]) => `add ${name} to the dependencies, or to the source` },
  { pattern: /ModuleNotFoundError: No module named '([^']+)'/, hint: ([, name]) => `add ${name} to requirements.txt` },
  {
    pattern:
      /Could not resolve host|Temporary failure resolving|EAI_AGAIN|network is unreachable|Name or service not known|ENOTFOUND/i,
    hint: 'the build cannot reach this host; vendor the dependency, or use a registry that this server can reach',
  },
  {
    pattern:
      /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|CERTIFICATE_VERIFY_FAILED|self[- ]signed certificate/i,
    hint: 'the build does not trust the certificate of this host: copy its authority into the image',
  },
  {
    pattern: /No matching distribution found for (\S+)/,
    hint: ([, name]) => `no version of ${name} fits: check the version, and the Python version of the base image`,
  },
  { pattern: /Could not open requirements file/i, hint: 'add requirements.txt to the source, and check .dockerignore' },
  { pattern: /go: go\.mod requires go >= ?([\d.]+)/, hint: ([, version]) => `use a base image with Go ${version}` },
  {
    pattern: /no required module provides package|missing go\.sum entry/,
    hint: 'run go mod tidy and add go.mod and go.sum to the source',
  },
  { pattern: /error: could not find `Cargo\.toml`/, hint: 'copy Cargo.toml into the image before the build' },
  { pattern: /Could not locate Gemfile/, hint: 'copy Gemfile into the image before bundle install' },
  {
    pattern: /(?:copier|COPY).*?"?([^\s":]+)"?: (?:copier: )?(?:no such file or directory|stat)/i,
    hint: 'a file that COPY names is missing: check its path and .dockerignore',
  },
  {
    pattern: /no such file or directory|no items matching glob/i,
    hint: 'a file is missing: check its path and .dockerignore',
  },
  {
    pattern: /image not known|image .* not found|manifest unknown|pull access denied/i,
    hint: 'check the name and tag of the base image in FROM',
  },
  { pattern: /E404|404 Not Found/, hint: 'a package was not found: check its name, and that its registry is public' },
  {
    pattern: /E401|401 Unauthorized|authentication required/i,
    hint: 'a registry requires a login: pass a token as a build secret',
  },
  {
    pattern: /exec format error/i,
    hint: 'a program was built for another processor; use a base image for this server',
  },
  {
    pattern: /command not found|: not found/,
    hint: 'a program is missing in the base image: install it, or use another base image',
  },
  { pattern: /permission denied/i, hint: 'run the step as root, or make the script executable (chmod +x)' },
  // npm continues after this warning, so other causes are checked first.
  { pattern: /npm warn EBADENGINE/i, hint: nodeVersionHint },
];

/** Lines that are shown: the beginning and the end of the failed step. npm explains a command in 130 lines after an error. */
const most = { shown: 20, first: 8, searched: 300 };

export type ExplainedFailure = { because: string; hint: string | undefined; lastLines: string[] };

/** `output`: the output of the build. `message`: the error message without the output. */
export function explainFailure(output: string, message: string): ExplainedFailure {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '');
  const begun = lines.findLastIndex((line) => readBuildStep(line) !== undefined);
  const step = begun === -1 ? undefined : readBuildStep(lines[begun]!);
  const written = lines.slice(begun + 1);
  const searched = [...written.slice(0, most.searched), ...written.slice(most.searched).slice(-most.shown)].join('\n');
  const because = step ? `the build failed at ${describeBuildStep(step)}` : `the build failed: ${message}`;
  for (const { pattern, hint } of causes) {
    const found = pattern.exec(searched);
    if (found) return { because, hint: typeof hint === 'string' ? hint : hint(found), lastLines: shownOf(written) };
  }
  return { because, hint: undefined, lastLines: shownOf(written) };
}

function shownOf(lines: readonly string[]): string[] {
  if (lines.length <= most.shown) return [...lines];
  return [...lines.slice(0, most.first), '…', ...lines.slice(most.first - most.shown + 1)];
}
