/**
 * The tutorials with curl and with the command line, as a reader types them. Blocks marked `sh` run in order in one shell.
 * A `text` or `json` block shows what the block before it prints. `…` stands for any text, and `jolly-tapir` for the random
 * name in an address. Blocks with other marks are not run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Berth, createBerth } from '../scenarios/berth.ts';

const root = join(import.meta.dirname, '../..');
let berth: Berth;
let folder: string;
before(async () => {
  berth = await createBerth({}, { engine: 'docker' });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-tutorials-'));
  await mkdir(join(folder, 'bin'));
  const program = join(folder, 'bin/berth');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/cli/bin.mjs')}" "$@"\n`);
  await chmod(program, 0o755);
});
after(async () => {
  await berth?.destroy();
  await rm(folder, { recursive: true, force: true });
});

type Step = { command: string; shown: string };

for (const name of ['with-curl', 'with-the-cli']) {
  test(`the commands of ${name}.md do what the page shows`, async () => {
    const steps = stepsOf(await readFile(join(root, `docs/start/${name}.md`), 'utf8'));
    assert.ok(steps.length >= 6);
    const outputs = await run(steps);
    for (const [index, { command, shown }] of steps.entries()) {
      assert.match(outputs[index] ?? '', patternOf(shown), `after ${command}`);
    }
    const whole = outputs.join('\n');
    const [url] = /http:\/\/[a-z]+-[a-z]+-(hello|greeting)\.localhost:\d+/.exec(whole)!;
    assert.equal((await berth.visit(url)).status, 200);
    const [, token] = /\/claim\/(claim_[\w-]+)/.exec(whole)!;
    const claim = await berth.get(`/api/claims/${token}`);
    assert.equal(claim.body.url, url);
  });
}

/** Each command with the output that the page shows for it. */
function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  const ownAddress = page.replaceAll('localhost:8080', `localhost:${berth.settings.port}`);
  for (const [, mark, content = ''] of ownAddress.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (mark === 'sh') steps.push({ command: content, shown: '' });
    else if (mark === 'text' || mark === 'json') steps.at(-1)!.shown += content;
  }
  return steps;
}

/** @returns What each step has printed. */
async function run(steps: readonly Step[]): Promise<string[]> {
  const mark = '--- end of a step ---';
  const script = steps.map(({ command }) => `${command}printf '\\n%s\\n' '${mark}'\n`).join('');
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    BERTH_SERVER: berth.settings.baseUrl.origin,
  };
  const shell = spawn('bash', ['-c', `set -euo pipefail\nexec 2>&1\n${script}`], { cwd: folder, env });
  const [[status], output] = await Promise.all([once(shell, 'exit'), text(shell.stdout)]);
  assert.equal(status, 0, output);
  return output.split(`\n${mark}\n`);
}

/** Responses have no line break at their end, so white space matches loosely. */
function patternOf(shown: string): RegExp {
  const parts = shown.trim().split(/(…|jolly-tapir|\s+)/);
  return new RegExp(parts.map((part) => gaps[part] ?? (part.trim() === '' ? '\\s*' : RegExp.escape(part))).join(''));
}

const gaps: Readonly<Record<string, string>> = { '…': '[^]*?', 'jolly-tapir': '[a-z]+-[a-z]+' };
