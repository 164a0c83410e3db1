/** `npm run pictures`: takes the pictures of the README again. */
import { writeFile } from 'node:fs/promises';
import { openBrowser } from './browser.ts';
import { picturesFolder, settingsOfPictures, shownFile, takePictures } from './pictures.ts';

const browser = await openBrowser(settingsOfPictures);
try {
  await writeFile(shownFile, await takePictures(browser, picturesFolder));
} finally {
  await browser.close();
}
