/** Builds from source on the page of a deployment: their steps, as they run and when one has failed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from '../scenarios/applications.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { openBrowser, type TestBrowser, type Visitor, type Width } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const source = (...steps: string[]) => ({
  Dockerfile: ['FROM node:26-slim', 'WORKDIR /app', 'COPY server.mjs .', ...steps, 'CMD ["node", "server.mjs"]'].join(
    '\n',
  ),
  'berth.yaml': 'application: { name: NAME, pods: [{ name: web, image: ./web:1, path: /, servicePorts: [3000] }] }',
  'server.mjs':
    "import { createServer } from 'node:http'; createServer((_, response) => response.end('built')).listen(3000);",
});

async function send(visitor: Visitor, name: string, files: Record<string, string>): Promise<void> {
  const { port } = browser.berth.settings;
  const named = { ...files, 'berth.yaml': files['berth.yaml']!.replace('NAME', name) };
  const { status, text } = await browser.berth.visit(`http://localhost:${port}/updateUserDeployment`, {
    method: 'POST',
    headers: { 'content-type': 'application/gzip', authorization: `Bearer ${await visitor.token()}` },
    body: await sourceArchive(named),
  });
  assert.equal(status, 200, text);
}

for (const width of ['desk', 'phone'] as const satisfies Width[]) {
  test(`the steps of a build are shown while it runs, and the one that failed is open (${width})`, async () => {
    const visitor = await browser.visitor('build', width);
    const { page } = visitor;
    const name = `built-${width}`;
    await visitor.deployText(webYaml(name, 'first'), 'web');
    await visitor.reach('running');
    assert.equal(await page.locator('.tabs a', { hasText: 'Build' }).count(), 0);

    await send(
      visitor,
      name,
      source('RUN echo well begun; sleep 1; printf "<b>\\033[2J\\033[1;31mwell\\033[0m done\\n"'),
    );
    await visitor.openTab('Build');
    const open = page.locator('.build details[open]');
    // Open while the step runs: on a slow machine it may have ended before it is seen.
    await page.locator('.build pre', { hasText: 'well begun' }).waitFor({ state: 'attached' });
    await page.locator('.build .badge', { hasText: 'built' }).waitFor();
    await page
      .locator('.build .step', { hasText: 'RUN echo' })
      .getByText(/^[1-9]\d*\.\d s$/)
      .waitFor();
    assert.equal(await open.count(), 0, 'a step that ended well is closed');
    await page.locator('.build summary', { hasText: 'RUN echo' }).click();
    await open.locator('pre', { hasText: '<b>well done' }).waitFor();
    const colored = open.locator('pre .color-red.style-bold');
    assert.equal(await colored.textContent(), 'well');
    assert.notEqual(
      await colored.evaluate((part) => getComputedStyle(part).color),
      await open.locator('pre').evaluate((whole) => getComputedStyle(whole).color),
    );
    await visitor.lookInBothThemes('built');

    await send(visitor, name, source('RUN echo not so well; exit 3'));
    await visitor.openTab('Overview');
    await page.locator('.notice', { hasText: 'the build failed at step 4 of 5' }).waitFor();
    await page.getByText('Last lines of the build:').waitFor();
    await page.getByRole('link', { name: 'The output of the build' }).click();
    await page.locator('.build .badge', { hasText: 'failed' }).waitFor();
    await open.locator('pre', { hasText: 'not so well' }).waitFor();
    assert.equal((await page.locator('.build .step').filter({ hasText: 'cached' }).count()) > 0, true);
    await visitor.look('failed');

    await page.getByLabel('Build of').selectOption('revision 2');
    await page.locator('.build .badge', { hasText: 'built' }).waitFor();
    await page.locator('.build summary', { hasText: 'RUN echo well begun' }).waitFor();
    await visitor.close();
  });
}
