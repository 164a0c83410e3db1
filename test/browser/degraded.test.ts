/** The page of a deployment that runs and is not healthy: the answer of its check. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const yaml = `application:
  name: wavering
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      healthCheck: { path: /healthz, periodSeconds: 1, failureThreshold: 1 }
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            let isSick = false;
            createServer((request, response) => {
              if (request.url === '/sick') isSick = true;
              const answersBadly = isSick && request.url === '/healthz';
              response.writeHead(answersBadly ? 500 : 200).end(answersBadly ? 'no route to the database' : 'well');
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;

for (const width of widthsHere('phone', 'desktop')) {
  test(`a deployment that runs and answers badly is degraded and says with what (${width})`, async () => {
    const visitor = await browser.visitor('degraded', width, width === 'phone' ? 'dark' : 'light');
    const { page } = visitor;
    await visitor.start();
    await page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) });
    await page.waitForSelector('.picture .pod-box >> text=web');
    await visitor.deploy();
    await visitor.reach('running');
    const host = (await page.evaluate(() => location.pathname)).split('/').slice(2, 4).join('-');
    const site = `http://${host}.${browser.berth.settings.appsDomain}:${browser.berth.settings.port}`;
    assert.equal((await browser.berth.visit(`${site}/sick`)).status, 200);
    await page.waitForSelector('.deployment-header .badge.degraded');
    await page.waitForSelector('.notice.warn >> text=/[Pp]od web: health check \\/healthz answered 500/');
    await page.waitForSelector('.notice.warn pre >> text=no route to the database');
    await page.waitForSelector('.picture .pod-box.degraded >> text=web');
    await visitor.look('degraded');
    await visitor.close();
  });
}
