/** VitePress's theme in the colors and fonts of the dashboard. */
import { inBrowser, onContentUpdated } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { h, onMounted } from 'vue';
import '../../../web/src/styles/tokens.css';
import './site.css';
import { correctSearch } from './correct-search.ts';

/** The address that the pages use for a service. */
const example = 'http://localhost:8080';

// The router of the site leaves a link with a target to the browser.
const dashboardLink = (place: string) =>
  h('a', { href: '/', target: '_self', class: `dashboard ${place}` }, 'Dashboard');

export default {
  ...theme,
  Layout: () =>
    h(theme.Layout, null, {
      'nav-bar-content-after': () => dashboardLink('in-bar'),
      'nav-screen-content-after': () => dashboardLink('in-screen'),
    }),
  setup() {
    onContentUpdated(showOwnAddress);
    onMounted(correctSearch);
  },
};

/** Examples contain the address of the service that the reader visits, so that they can be copied. */
function showOwnAddress(): void {
  if (!inBrowser || location.origin === example) return;
  const texts = document.createTreeWalker(document.querySelector('.vp-doc') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.nodeValue?.includes(example)) node.nodeValue = node.nodeValue.replaceAll(example, location.origin);
  }
}
