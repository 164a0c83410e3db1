import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { flagsOf, helpOf, helpText, parseArguments } from './arguments.ts';
import { commands } from './command-table.ts';
import { shells } from './completion.ts';

test('a command has its words and its flags, and nothing else', () => {
  assert.deepEqual(parseArguments(['logs', 'web', '-f', '--since=10m', '--json']), {
    kind: 'command',
    name: 'logs',
    given: ['web'],
    options: { follow: true, since: '10m' },
    asJson: true,
  });
  for (const wrong of [['logs', 'a', 'b'], ['deploy'], ['list', 'x'], ['status', '--yes'], ['nothing'], []]) {
    assert.equal(parseArguments(wrong).kind, 'mistake', wrong.join(' '));
  }
  assert.deepEqual(parseArguments(['help', 'logs']), { kind: 'help', of: 'logs' });
  assert.equal(parseArguments(['toString']).kind, 'mistake');
});

test('a mistake is explained in a sentence, with the likely intention', () => {
  const reported = (...words: string[]) => {
    const read = parseArguments(words);
    return read.kind === 'mistake' ? read.message : read.kind;
  };
  assert.equal(reported('stats'), 'Unknown command "stats"; did you mean "status"?');
  assert.equal(reported('down'), 'Unknown command "down"; did you mean "remove"?');
  assert.equal(reported('help', 'nothing-like-it'), 'Unknown command "nothing-like-it".');
  assert.equal(reported('--json', 'list'), 'The command comes before --json.');
  assert.equal(reported('up', '--watc'), "Unknown option '--watc'.");
  assert.match(reported('logs', '--since'), /'--since <value>' argument missing\.$/);
});

test('the help names every command, each command every flag, and every status', () => {
  for (const [name, { help }] of Object.entries(commands)) {
    assert.ok(helpText().includes(`  ${name}`) && helpText().includes(help), name);
    for (const flag of Object.keys(flagsOf(name as keyof typeof commands))) {
      assert.ok(helpOf(name as keyof typeof commands).includes(`--${flag}`), `${name} ${flag}`);
    }
  }
  assert.match(helpText(), /130 {2}interrupted/);
  for (const line of helpText().split('\n')) assert.ok(line.length <= 110, line);
});

test('bash completes commands, flags and shells', () => {
  const complete = (...words: string[]) => {
    const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _berth`;
    const script = `${shells.bash()}\n${set}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.equal(status, 0);
    return stdout.trim().split('\n');
  };
  assert.deepEqual(complete('berth', 'sta'), ['status', 'start']);
  assert.deepEqual(complete('berth', 'logs', '--fo'), ['--follow']);
  assert.deepEqual(complete('berth', 'completion', ''), ['bash', 'zsh']);
  assert.deepEqual(complete('berth', 'export', 'k'), ['kubernetes']);
  assert.deepEqual(complete('berth', 'help', 'who'), ['whoami']);
  assert.deepEqual(complete('berth', 'validate', import.meta.filename.slice(0, -3)), [import.meta.filename]);
  assert.deepEqual(complete('berth', 'status', ''), [''], 'which takes no words');
});

test('the words of zsh have no quote or bracket of their own within a quoted word', () => {
  assert.match(shells.zsh(), /logs\) _arguments '--follow\[keep printing new lines\]'/);
  assert.equal((shells.zsh().match(/'/g) ?? []).length % 2, 0);
});
