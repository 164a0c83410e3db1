import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
let folder: string;
before(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), 'berth-documents-'));
});
after(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

/** An application that shows its secret to every visitor; its owner's logs do not. */
const secretYaml = `application:
  name: secretive
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars:
        API_TOKEN: planted-token-1
        GREETING: first
      volumes: [{ name: data, size: 10Mi, mountPath: /data }]
      secrets: [{ name: key, fileName: key.txt, data: planted-key-2 }]
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            console.log('started with', process.env.API_TOKEN);
            createServer((request, response) => {
              console.log('visit to', request.url);
              response.end(process.env.GREETING);
            }).listen(3000);
`;

for (const width of widthsHere('desktop', 'phone')) {
  test(`a visitor deploys from the editor, follows it, sees it live, updates, extends and removes it (${width})`, async () => {
    const visitor = await browser.visitor('visitor', width);
    const { page } = visitor;
    await visitor.start();
    await visitor.look('start');

    const file = join(folder, `${width}.yaml`);
    await writeFile(file, secretYaml);
    await page.setInputFiles('input[type=file]', file);
    await page.waitForSelector('.picture >> text=data, 10 MiB');
    await visitor.deploy();
    await page.waitForURL(/\/d\/[a-z]+-[a-z]+\/secretive$/);
    await page.waitForSelector('.steps li', { state: 'attached' });
    await visitor.reach('running');
    await page.waitForSelector('.picture .pod-box.ready');
    // How long it took follows from its events, which come by a way of their own.
    await page.locator('.journey h2', { hasText: /^Live after \d/ }).waitFor();
    await visitor.look('live');

    const address = (await page.locator('.deployment-header .address a').getAttribute('href'))!;
    assert.equal(await visitor.visit(`${address}/hello`), 'first');

    await visitor.openTab('Logs');
    await page.waitForSelector('.lines >> text=visit to /hello');
    await visitor.visit(`${address}/followed`);
    await page.waitForSelector('.lines >> text=visit to /followed');
    await page.getByLabel('Search in the logs').fill('HELLO');
    await page.waitForSelector('mark >> text=hello');
    assert.equal(await page.locator('.lines .block p').count(), 1);
    assert.match(page.url(), /search=HELLO/);
    await page.getByLabel('Search in the logs').fill('');
    await page.getByLabel('Pod', { exact: true }).selectOption('web');
    await page.waitForSelector('.lines >> text=started with [redacted]');
    await visitor.look('logs');

    await visitor.openTab('Events');
    await page.waitForSelector('.events >> text=Revision 1 is live');
    await visitor.look('events');

    await visitor.openTab('Configuration');
    await page.locator('.cm-line', { hasText: 'GREETING: first' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and second');
    await page.waitForSelector('.problems .valid');
    await visitor.look('edited');
    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.waitForSelector('.changes >> text=web stops, then starts again');
    await page.waitForSelector('.changes >> text=data of pod web keeps its data');
    await page.waitForSelector('.changes >> text=the variable GREETING');
    await page.waitForSelector('.comparison-view .cm-changedLine');
    await visitor.look('review');
    await page.getByRole('button', { name: 'Update now' }).click();
    await page.waitForSelector('.journey >> text=Revision 2 is live');
    await visitor.reach('running');
    assert.equal(await visitor.visit(address), 'first and second');
    await visitor.look('updated');

    await Promise.all([
      page.waitForSelector('.toast >> text=Extended: it expires'),
      page.getByRole('button', { name: 'Extend' }).click(),
    ]);
    await page.waitForSelector('.lifetime >> text=1 left');
    await visitor.look('extended');

    await page.goto('/');
    await page.waitForSelector('.deployment-rows .badge.running');
    await visitor.look('start-again');
    await page.getByRole('link', { name: 'secretive', exact: true }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await visitor.look('remove');
    await page.getByRole('button', { name: 'Remove it with its data' }).click();
    await page.waitForSelector('.toast >> text=secretive was removed');
    await page.getByRole('button', { name: /^Forget secretive/ }).waitFor();
    await visitor.look('removed', /404/);
    await until('the site is gone', async () => (await browser.berth.visit(address)).status === 410);

    await visitor.close();
    await assertNothingTold(visitor);
  });
}

type Visited = Awaited<ReturnType<TestBrowser['visitor']>>;

/** The token is in no address, and the secrets are in no answer but the owner's own configuration. */
async function assertNothingTold({ addresses, answers: all }: Visited) {
  const own = addresses.filter((address) => address.startsWith(browser.berth.settings.baseUrl.origin));
  assert.ok(own.length > 20);
  assert.deepEqual(
    own.filter((address) => /berth_|claim_/.test(address)),
    [],
  );
  const answers = await Promise.all(all);
  const notifying = answers.filter(({ text }) => /planted-/.test(text)).map(({ path }) => path);
  assert.deepEqual([...new Set(notifying)], ['/getDeploymentConfiguration']);
  assert.ok(answers.some(({ path }) => path === '/previewUserDeployment'));
}
