/** The history of a deployment: listed, compared, and rolled back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from '../scenarios/applications.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const nowhere = 'localhost:1/nothing:1';

for (const width of widthsHere('desk', 'phone')) {
  test(`after a failed update both texts are there, any two are compared, and one click goes back (${width})`, async () => {
    const visitor = await browser.visitor('revisions', width);
    const { page } = visitor;
    const name = `earlier-${width}`;
    await visitor.deployText(webYaml(name, 'first'), 'web');
    await visitor.reach('running');
    await visitor.openTab('Revisions');
    await page.waitForSelector('text=With the next update there are two revisions to compare');
    await visitor.look('one');

    const update = async (yaml: string) => {
      const { status, text } = await browser.berth.postYaml(
        `/updateUserDeployment?sessionToken=${await visitor.token()}`,
        yaml,
      );
      assert.equal(status, 200, text);
    };
    await update(webYaml(name, 'second'));
    await page.waitForSelector('.revisions li:has-text("Revision 2") .badge.running');
    await update(webYaml(name, 'third').replace('node:26-slim', nowhere));
    await page.waitForSelector('.revisions li:has-text("Revision 3") .badge.failed');
    const rows = page.locator('.revisions li');
    assert.match(await rows.first().innerText(), /Changes web[\s\S]*with a session token · failed after [\d.]+ s/);
    assert.match(await rows.last().innerText(), /The first one[\s\S]*ready after [\d.]+ s/);

    // By default, the failed revision is compared with the serving one.
    const deleted = page.locator('.comparison-view .cm-deletedChunk');
    await deleted.filter({ hasText: 'second' }).waitFor();
    await page.locator('.comparison-view .cm-line', { hasText: nowhere }).waitFor();
    await page.getByRole('region', { name: 'Comparison' }).scrollIntoViewIfNeeded();
    await visitor.lookInBothThemes('failed');
    await page.getByLabel('From').selectOption('Revision 1');
    await deleted.filter({ hasText: 'first' }).waitFor();
    assert.match(page.url(), /\?from=1&to=3$/);
    await page.reload();
    await deleted.filter({ hasText: 'first' }).waitFor();

    await page.getByRole('button', { name: 'Edit the text of revision 1' }).click();
    await page.locator('.cm-line', { hasText: 'first' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.locator('.cm-line', { hasText: nowhere }).waitFor();

    await visitor.openTab('Overview');
    await page.getByRole('link', { name: 'go back to it' }).click();
    const review = page.getByRole('region', { name: 'Review of the update' });
    await review.getByText('web stays as it is').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Go back to revision 1' }).click();
    await review.getByText('web is replaced without a gap').waitFor();
    await visitor.lookInBothThemes('back');
    await review.getByRole('button', { name: 'Go back to revision 1' }).click();
    await page.waitForSelector('.journey h2 >> text=/^Revision 4 is live/');
    assert.match(await visitor.visit((await page.locator('.address a').getAttribute('href'))!), /first/);
    await visitor.openTab('Revisions');
    await page.waitForSelector('.revisions li:has-text("Revision 4") >> text=has the same text as revision 1');
    await visitor.close();
  });
}
