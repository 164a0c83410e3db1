/** The documentation site, built from `docs` with VitePress and served by Berth itself at `/docs`. */
import { join } from 'node:path';
import { createCssVariablesTheme } from 'shiki';
import { defineConfig } from 'vitepress';
import { compressFiles } from '../../scripts/compress-files.ts';
import { headingIds } from '../../scripts/docs/heading-ids.ts';
import { readParts, withoutNotes } from '../../src/api/documentation/pages.ts';
import { classesInsteadOfStyles, pictureForEachTheme } from './markdown.ts';

const groups = readParts().map(({ title, folder, pages }) => ({
  text: title,
  folder,
  items: pages.map(({ path, title }) => ({ text: title, link: `/${path}` })),
}));
const folders = [...new Set(groups.map(({ folder }) => folder))];
/** Where the dashboard stores the chosen theme. */
const themeKey = 'berth.theme';
const repository = join(import.meta.dirname, '../..');

export default defineConfig({
  title: 'Berth',
  description: 'One YAML in, a live URL out.',
  lang: 'en-US',
  base: '/docs/',
  srcDir: '../docs',
  srcExclude: ['contributing/**'],
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // A test follows the links; the service starts all the same.
  ignoreDeadLinks: true,
  // A page would otherwise load every page that it links to.
  router: { prefetchLinks: false },
  // VitePress switches transitions off by a style in the page, which the policy does not permit.
  appearance: { disableTransition: false, storageKey: themeKey },
  head: [
    ['meta', { name: 'robots', content: 'noindex' }],
    ['link', { rel: 'icon', href: '/favicon.ico' }],
    ['link', { rel: 'alternate', type: 'text/markdown', href: '/llms.txt', title: 'For agents and other programs' }],
  ],
  markdown: {
    // A page is text: what looks like HTML is shown.
    html: false,
    theme: createCssVariablesTheme({ name: 'berth', variablePrefix: '--code-' }),
    codeTransformers: [classesInsteadOfStyles],
    attrs: false,
    anchor: { slugify: (words) => headingIds()(words) },
    config: pictureForEachTheme,
  },
  themeConfig: {
    siteTitle: 'Berth',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: folders.map((folder) => {
      const [first] = groups.filter((group) => group.folder === folder);
      return { text: first!.text.split(' ')[0]!, link: first!.items[0]!.link, activeMatch: `^/${folder}/` };
    }),
    // Each kind has its own pages next to it; the first page has all.
    sidebar: {
      '/': groups,
      ...Object.fromEntries(
        folders.map((folder) => [`/${folder}/`, groups.filter((group) => group.folder === folder)]),
      ),
    },
  },
  // The policy of the service permits no `style` attributes; VitePress sets these two by script as well. Its script that
  // sets the theme before the page is drawn has a fixed key.
  transformHtml: (html) =>
    html
      .replaceAll(/ style="(?:--vp-vh:0px;|position:relative;)"/g, '')
      .replaceAll('`vitepress-theme-appearance`', `\`${themeKey}\``),
  buildEnd: ({ outDir }) => compressFiles(outDir),
  vite: {
    plugins: [
      {
        name: 'without-notes',
        enforce: 'pre',
        transform: (code, id) => (id.endsWith('.md') ? withoutNotes(code) : undefined),
      },
    ],
    server: { fs: { allow: [repository] } },
  },
});
