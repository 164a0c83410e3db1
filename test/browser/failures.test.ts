import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_TIMEOUTS: 'listen=1s' });
});
after(async () => await browser.close());

const failingYaml = `application:
  name: failing
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      files: [{ path: /app/server.mjs, content: "console.log('no PORT is set, so it is 4000'); import('node:http').then((http) => http.createServer().listen(4000));" }]
`;

for (const width of widthsHere('phone', 'desktop')) {
  test(`a deployment that fails says why, with its last lines in front (${width})`, async () => {
    const visitor = await browser.visitor('failed', width, width === 'phone' ? 'dark' : 'light');
    const { page } = visitor;
    await visitor.start();
    await page.setInputFiles('input[type=file]', {
      name: 'a.yaml',
      mimeType: 'text/yaml',
      buffer: Buffer.from(failingYaml),
    });
    await page.waitForSelector('.picture >> text=node:26-slim');
    await visitor.deploy();
    await visitor.reach('failed');
    const notice = page.locator('.notice.alarm');
    assert.match(await notice.locator('strong').innerText(), /^Pod web: listens on 4000, not on 3000/);
    assert.deepEqual(await notice.locator('strong code').allInnerTexts(), ['servicePorts', 'ports', 'expose']);
    assert.match(await notice.locator('pre').innerText(), /no PORT is set/);
    await page.waitForSelector('.picture .pod-box.failed');
    await visitor.look('overview');
    await page.getByRole('link', { name: 'Correct the configuration' }).click();
    await page.waitForSelector('.cm-content');
    await page.waitForSelector('.problems .valid');
    await visitor.look('configuration');
    await visitor.close();
  });
}

const needyYaml = `application:
  name: needy
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000] # where it listens
      command: node /app/server.mjs
      files:
        - path: /app/server.mjs
          content: |
            if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set');
            const { createServer } = await import('node:http');
            createServer((request, response) => response.end('here')).listen(4000);
`;

for (const width of widthsHere('phone', 'desk')) {
  test(`what certainly mends a failure is one click away: a variable, a port, a restart (${width})`, async () => {
    const visitor = await browser.visitor('mended', width);
    const { page } = visitor;
    await visitor.deployText(needyYaml, 'web');
    await visitor.reach('failed');
    const notice = page.locator('.notice.alarm');
    await notice.locator('strong', { hasText: 'Error: DATABASE_URL is not set' }).waitFor();
    assert.match(await notice.innerText(), /Pod web: crash loop/);
    assert.match(await notice.locator('pre').innerText(), /×\d/);
    await visitor.lookInBothThemes('variable');
    await page.getByRole('button', { name: 'Restart web' }).click();
    await page.waitForSelector('.toast >> text=web is restarting.');
    await visitor.openTab('Events');
    await page.waitForSelector('.events >> text=Restart of web requested');
    await visitor.openTab('Overview');
    await visitor.reach('failed');

    await page.getByRole('button', { name: 'Add DATABASE_URL' }).click();
    const written = page.locator('.cm-line.cm-activeLine', { hasText: 'vars: { DATABASE_URL: "" }' });
    await written.waitFor();
    await visitor.lookInBothThemes('added');
    await written.click();
    await page.keyboard.press('End');
    for (let left = 0; left < 3; left++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('x');
    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.getByRole('button', { name: 'Update now' }).click();

    await notice.locator('strong', { hasText: 'Pod web: listens on 4000, not on 3000' }).waitFor();
    await visitor.lookInBothThemes('port');
    await page.getByRole('button', { name: 'Use port 4000' }).click();
    await page.locator('.cm-line.cm-activeLine', { hasText: 'servicePorts: [4000] # where it listens' }).waitFor();
    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.getByRole('button', { name: 'Update now' }).click();
    await visitor.reach('running');
    assert.match(await visitor.visit((await page.locator('.address a').getAttribute('href'))!), /here/);
    await visitor.close();
  });
}

test('an unknown address shows an error, and the chosen theme stays', async () => {
  const visitor = await browser.visitor('nothing', 'phone');
  const { page } = visitor;
  assert.equal((await page.goto('/nothing/at/all'))?.status(), 404);
  await page.waitForSelector('h1 >> text=Page not found');
  await visitor.look('unknown', /status of 404/);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.goto('/');
  await page.waitForSelector('.problems .valid');
  assert.equal(await ground(), dark);
  await page.waitForSelector('.picture .pod-box');
  await visitor.look('dark');
  await visitor.close();
});

test('without JavaScript the page says how to do it from a terminal', async () => {
  const { text, headers } = await browser.berth.get('/', { accept: 'text/html' });
  assert.match(String(headers['content-security-policy']), /default-src 'none'/);
  const noscript = /<noscript>([\s\S]*?)<\/noscript>/.exec(text)![1]!;
  assert.match(noscript, /curl -X POST http:\/\/localhost:\d+\/startUserDeployment/);
});

test('while the service is away the page says so, and goes on where it was when it is back', async () => {
  const visitor = await browser.visitor('away', 'desktop', 'dark');
  const { page } = visitor;
  await visitor.start();
  await page.getByRole('button', { name: 'Counter' }).click();
  await page.waitForSelector('.picture >> text=redis:7');
  await visitor.deploy();
  await visitor.reach('running');
  await visitor.openTab('Events');
  await page.waitForSelector('.events >> text=Revision 1 is live');
  const reported = await page.locator('.events li').allInnerTexts();

  await browser.berth.end('SIGTERM');
  await page.waitForSelector('.reach >> text=No connection to the service');
  await visitor.look('away', /status of 503/);
  const origin = browser.berth.settings.baseUrl.origin;
  assert.match(await visitor.visit(`${origin}/deployments`), /This page reloads automatically/);
  await browser.berth.serve();
  await page.waitForSelector('.reach p', { state: 'detached' });
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.waitForSelector('.events >> text=Time limit extended');
  const toldNow = await page.locator('.events li').allInnerTexts();
  assert.deepEqual(toldNow.slice(-reported.length), reported);
  assert.equal(toldNow.filter((text) => text.includes('Revision 1 is live')).length, 1);
  await visitor.close();
});

test('a part that cannot be loaded does not take the page with it', async () => {
  const visitor = await browser.visitor('part', 'phone');
  const { page } = visitor;
  await visitor.deployText(needyYaml.replace('name: needy', 'name: partly'), 'web');
  await page.waitForSelector('.deployment-header');
  await page.route('**/assets/events-tab-*.js', (route) => route.abort());
  await visitor.openTab('Events');
  await page.waitForSelector('[role=alert] >> text=This part of the page could not be loaded');
  await visitor.look('lost', /ERR_FAILED|Failed to fetch|error loading/i);
  await visitor.openTab('Configuration');
  await page.waitForSelector('.cm-content');
  await page.waitForSelector('.deployment-header h1 >> text=partly');
  await visitor.close();
});
