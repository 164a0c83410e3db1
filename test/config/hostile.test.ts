/** Texts made to take long, or to break something: each gets a verdict within a second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxDiagnostics } from '../../src/config/diagnostics/diagnostics.ts';
import { fixDocument } from '../../src/config/fix.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { within } from '../processor-time.ts';
import { inTier } from '../tier.ts';

/** The slowest takes 0.6 s on two slow cores; a test that shares them with others gets twice the second. */
const maxMs = 5000;

const kib256 = 256 * 1024;
const r = (text: string, length = kib256) => text.repeat(Math.floor(length / text.length));
const head =
  'application:\n  name: shop\n  pods:\n    - name: web\n      image: nginx:1\n      path: /\n      servicePorts: [80]\n';
const hostile: Record<string, string> = {
  deepFlow: r('['),
  deepBlock: r('- '),
  deepMap: r('{a: '),
  deepObj: Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  bomb2:
    'a: &a ["lol"]\n' +
    Array.from({ length: 5000 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : 'a'},*${i ? `b${i - 1}` : 'a'}]`).join(
      '\n',
    ),
  aliasList: `a: &a {${Array.from({ length: 10000 }, (_, i) => `k${i}: 1`).join(', ')}}\nb: [${r('*a, ', 120000)}]`,
  mergeList:
    'a: &a {' +
    Array.from({ length: 10000 }, (_, i) => `k${i}: 1`).join(', ') +
    '}\nb: {<<: [' +
    r('*a, ', 120000) +
    ']}',
  keysTop: head + Array.from({ length: 22000 }, (_, i) => `k${i}: 1`).join('\n'),
  keysPod: head + Array.from({ length: 16000 }, (_, i) => `      k${i}: 1`).join('\n'),
  keysVars: `${head}      vars:\n${Array.from({ length: 14000 }, (_, i) => `        K${i}: 1`).join('\n')}`,
  varsFlow: `${head}      vars: {${Array.from({ length: 40000 }, (_, i) => `${i.toString(36)}:`).join(',')}}`,
  keys40kFlow:
    'application: {name: abc, pods: [{name: ab, image: "a:1", ' +
    Array.from({ length: 33000 }, (_, i) => `${i.toString(36)}: 1`).join(',') +
    '}]}',
  dupKeys: r('a: 1\n'),
  dupSame: `application:\n${r('  a: 1\n')}`,
  varsListBad: `${head}      vars:\n${Array.from({ length: 12000 }, (_, i) => `        - [${i}]`).join('\n')}`,
  varsList: `${head}      vars: [${r('{a: 1},', 200000)}]`,
  podsMany: `application: {name: shop, pods: [${r('{name: ab},', 250000)}]}`,
  ports: head.replace('[80]', `[${r('80,', 200000)}]`),
  portsBad: head.replace('[80]', `[${r('x,', 200000)}]`),
  volumes: `${head}      volumes: [${r('{mountPath: /a},', 200000)}]`,
  files: `${head}      files: [${r('{path: /a, content: b},', 200000)}]`,
  depends: `${head}      dependsOn: [${r('ab,', 200000)}]`,
  command: `${head}      command: [${r('ab,', 200000)}]`,
  cmdWords: `${head}      command: ${r('a ', 200000)}`,
  cmdBackslash: `${head}      command: '${r('\\', 200000)}'`,
  cmdQuote: `${head}      command: '${r('"a" ', 200000)}'`,
  scriptlet: `${head}      vars: {A: "${r('<% ', 200000)}"}`,
  scriptlet2: `${head}      vars: {A: "<%${r(' ', 200000)}"}`,
  scriptlet3: `${head}      vars: {A: "${r('<% URL %>', 200000)}"}`,
  scriptlet4: `${head}      vars: {A: "${Array.from({ length: 20000 }, (_, i) => `<% ${i} %>`).join('')}"}`,
  podNames: `${head}      vars: {A: "${r('a-', 200000)}"}`,
  podNames2: `${head}      vars: {A: "${r('a-', 120000)}.pod"}`,
  podNames3: `${head}      vars: {A: "${Array.from({ length: 15000 }, (_, i) => `x${i}.pod `).join('')}"}`,
  podVars:
    head +
    '      vars:\n' +
    Array.from(
      { length: 900 },
      (_, i) => `        K${i}: "${Array.from({ length: 20 }, (_, j) => `x${i}y${j}.pod`).join(' ')}"`,
    ).join('\n'),
  composeTmpfs: `services: {web: {image: "nginx:1", tmpfs: "${r('/', 250000)}a"}}`,
  composeMount: `services: {web: {image: "nginx:1", volumes: ["a:${r('/', 250000)}a"]}}`,
  composeBind: `services: {web: {image: "nginx:1", volumes: ["./${r('/', 250000)}a:/a"]}}`,
  composeCurl: `services:\n${Array.from({ length: 15 }, (_, i) => `  web${i}: {image: "nginx:1", healthcheck: {test: [CMD, curl, "-${r('f', 16000)}!"]}}`).join('\n')}`,
  composeCurlValue: `services:\n${Array.from({ length: 15 }, (_, i) => `  web${i}: {image: "nginx:1", healthcheck: {test: [CMD, curl, "${r('=', 16000)}\\nx"]}}`).join('\n')}`,
  composeSecrets: `services: {web: {image: "${r('a/', 120000)}a:1", environment: {A: "${r('${QQQ_KEY}', 120000)}"}}}`,
  secretsOfLongImage: `${head.replace('nginx:1', `${r('a/', 120000)}a:1`)}      vars: {A: "${r('${QQQ_KEY}', 120000)}"}`,
  loginRegistry: head.replace(
    '  pods:',
    `  registryLogin: {registry: "${r('/', 240000)}a/", username: a, personalAccessToken: b}\n  pods:`,
  ),
  params: `${head}      vars: {A: "${r('${A} ', 120000)} x.pod"}`,
  params2: `${head}      vars: {A: "${r('${B', 120000)}"}`,
  params3: `${head}      vars: {A: "${r('${B:-', 120000)}${r('}', 25000)}"}`,
  params4: `${head}      vars: {A: "${Array.from({ length: 15000 }, (_, i) => `\${X${i}_KEY}`).join('')}"}`,
  braces: `${head}      vars: {A: "${r('{', 120000)}\${A}${r('}', 120000)}"}`,
  laughs:
    head +
    '      vars:\n        A0: "' +
    'x'.repeat(50) +
    '"\n' +
    Array.from({ length: 900 }, (_, i) => `        A${i + 1}: "\${A${i}}\${A${i}}\${A${i}}"`).join('\n'),
  laughs2:
    head +
    '      vars:\n        A0: "' +
    'x'.repeat(60000) +
    '"\n' +
    Array.from({ length: 900 }, (_, i) => `        B${i + 1}: "\${A0}"`).join('\n'),
  hosts: `${head}      vars: {A: "${r('a.', 200000)}"}`,
  hosts2: `${head}      vars: {A: "${r('shop.a-', 200000)}"}`,
  local: `${head}      vars: {A: "${r('http://a:a@', 200000)}localhost"}`,
  hosts3:
    head +
    '      vars:\n' +
    Array.from({ length: 25 }, (_, i) => `        K${i}: "${r('shop.a-a.', 8000)}"`).join('\n'),
  local2:
    head +
    '      vars:\n' +
    Array.from({ length: 25 }, (_, i) => `        K${i}: "${r('a:', 8000)}localhost"`).join('\n'),
  longName: `application: {name: "${r('A', 200000)}", pods: []}`,
  longImage: head.replace('nginx:1', r('a/', 200000)),
  longImage2: head.replace('nginx:1', `${r('a-', 500)}!`),
  longPath: head.replace('path: /', `path: /${r('a/', 200000)} x`),
  slug: head.replace('name: web', `name: "${r('Aa', 200000)}"`),
  quotes: `${head}      x: "${r('a\n', 200000)}`,
  singleQ: r("'"),
  dq: r('"'),
  tabs: `a:\n${r('\tb: 1\n')}`,
  colons: r('a:'),
  colonNl: r(':\n'),
  dashNl: r('-\n'),
  q: r('? a\n'),
  pct: r('%A\n'),
  hash: r('#\n'),
  bang: r('!a '),
  amp: r('&a '),
  star: r('*a '),
  gt: r('>\n'),
  docs: r('---\n'),
  cr: r('\r'),
  nul: r('\0'),
  uni: r('\u2028', 80000),
  emoji: r('😀', 60000),
  comma: r(','),
  flow: `[${r('a,')}`,
  flow2: `{${r('a,')}`,
  seqmap: r('- a: 1\n'),
  nested: r('a: b: '),
  ind: Array.from({ length: 700 }, (_, i) => `${' '.repeat(700 - i)}a: 1`).join('\n'),
  unk: head + Array.from({ length: 12000 }, (_, i) => `      imag${i}: 1`).join('\n'),
  json: JSON.stringify({
    application: { name: 'shop', pods: Array.from({ length: 2000 }, (_, i) => ({ name: `p${i}`, image: 'nginx' })) },
  }),
  fence: r('```\n'),
  fence2: `\`\`\`yaml\n${r('a: 1\n', 200000)}\`\`\``,
  bracketErr: `[${r('"a", ', 250000)}`,
  backtick: `a: \`${r('x', 250000)}`,
  manyErr: r('a: @b\n'),
  quoteLex: `a: "${r('\\"', 250000)}`,
  b64: `${head}      secrets: [{name: a, fileName: b, data: "${r('QUFB', 200000)}"}]`,
  envKV: `${head}      vars:\n${Array.from({ length: 900 }, () => `        - ${r('=', 250)}`).join('\n')}`,
  depCycle:
    'application:\n  name: shop\n  pods:\n' +
    Array.from(
      { length: 50 },
      (_, i) =>
        `    - {name: p${i}x, image: "a:1", path: /${i}, servicePorts: [1], dependsOn: [${Array.from({ length: 50 }, (_, j) => `p${j}x`).join(',')}]}`,
    ).join('\n'),
};

/** Texts that resemble one of the others. */
const variants = [
  ...['deepBlock', 'deepMap', 'aliasList', 'keysTop', 'keysVars', 'varsFlow', 'keys40kFlow', 'unk', 'dupKeys'],
  ...['varsListBad', 'portsBad', 'volumes', 'files', 'depends', 'command', 'podVars', 'cmdWords', 'fence2'],
  ...['pct', 'hash', 'seqmap', 'colonNl', 'nested', 'amp', 'secretsOfLongImage', 'bracketErr'],
];
const others = Object.keys(hostile).filter((name) => !variants.includes(name));

for (const name of inTier(others, variants)) {
  const text = hostile[name]!;
  test(`${name} is judged in time, in at most a hundred diagnostics`, () => {
    const { diagnostics } = within(maxMs, () => parseConfiguration(text));
    assert.ok(diagnostics.length <= maxDiagnostics + 1);
    for (const { message, hint = '', path } of diagnostics) {
      assert.ok(message.length + hint.length + path.length < 2000, `${message} (${hint}) ${path}`);
    }
  });
}

test('fixing takes no longer than a few readings', () => {
  const texts = [hostile.keysPod!, hostile.tabs!, hostile.manyErr!, hostile.dupSame!];
  within(texts.length * 2 * maxMs, () => texts.map((text) => fixDocument(text)));
});

test('a document above 256 KiB is refused, in bytes', () => {
  const text = `a: "${'ü'.repeat(kib256 / 2)}"`;
  assert.equal(parseConfiguration(text).diagnostics[0]!.code, 'too-large');
});

test('the first hundred problems are reported, errors before warnings, and the number of the others', () => {
  const { diagnostics } = parseConfiguration(
    `${head}${Array.from({ length: 300 }, (_, n) => `      k${n}: 1`).join('\n')}\n      replicas: 0\n`,
  );
  assert.equal(diagnostics.length, maxDiagnostics + 1);
  assert.equal(diagnostics.filter(({ severity }) => severity === 'error').length, 1);
  assert.equal(diagnostics.at(-1)!.message, '201 more problems are not shown');
});
