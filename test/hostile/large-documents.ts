/** Documents of some 200 KB that take long to read: each the worst of its kind. */

const most = 200 * 1024;
const head = 'application:\n  name: shop\n  pods:\n';

/** `part` of 0, 1, 2, … until the text is so long. */
function fill(length: number, part: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text;
}

function pods(count: number, rest: (pod: number) => string): string {
  const pod = (index: number) =>
    `    - name: p${index}x\n      image: nginx:1\n      path: /${index}\n      servicePorts: [80]\n${rest(index)}`;
  return head + Array.from({ length: count }, (_, index) => pod(index)).join('');
}

export const largeDocuments: Record<string, string> = {
  'many pods': pods(50, () => `      vars:\n${fill(most / 60, (index) => `        K${index}: "v${index}"\n`)}`),
  'pods that name each other': pods(
    50,
    (pod) =>
      `      vars:\n${fill(most / 60, (index) => `        K${index}: "http://p${(pod + index) % 50}x.pod:80/"\n`)}`,
  ),
  'many anchors': `x: [${fill(most / 2, (index) => `&a${index} v,`)}]\n${pods(1, () => '')}y: [${fill(most / 2, (index) => `*a${index},`)}]\n`,
  'deep nesting': `[${fill(most, () => `${'['.repeat(50)}${']'.repeat(50)},`)}]`,
  'long scalars': pods(
    16,
    () =>
      `      files:\n        - path: /a\n          content: |\n${fill(most / 18, (index) => `            ${index} x\n`)}`,
  ),
  'many errors': fill(most, () => 'a: @b\n'),
  'keys that are repeated': fill(most, () => ':\n'),
  'values of a wrong type': pods(1, () => `      command: [${fill(most, () => '{},')}]\n`),
};
