/** Counts the production dependencies, and requests their known vulnerabilities from the registry: `npm run audit`. */
import { spawnSync } from 'node:child_process';

type Audit = { vulnerabilities?: Record<string, { severity: string }>; error?: { summary?: string }; message?: string };

const list = npm('ls', '--omit=dev', '--omit=optional', '--all', '--parseable');
// The first line is this package itself. A package with two locations counts once.
const installed = new Set(list.split('\n').slice(1).filter(Boolean).map(nameOf));
console.log(`Production dependencies: ${installed.size}`);

const audit = JSON.parse(npm('audit', '--omit=dev', '--omit=optional', '--json') || '{}') as Audit;
if (!audit.vulnerabilities) {
  // A mirror may lack this endpoint. The audit then neither fails nor passes.
  console.log(
    `Not audited, the registry does not answer: ${audit.error?.summary || audit.message || 'no reason given'}`,
  );
} else {
  const findings = Object.entries(audit.vulnerabilities).map(([name, { severity }]) => `  ${name}: ${severity}`);
  console.log(['Known vulnerabilities in them: ', findings.length].join(''), ...findings.map((line) => `\n${line}`));
  if (findings.length > 0) process.exitCode = 1;
}

/** The output of npm. Its exit status also reports findings and is not needed. */
function npm(...args: string[]): string {
  return spawnSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 }).stdout;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
