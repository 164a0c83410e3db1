/** What surrounds the pages of the documentation, in the look of the dashboard. No script, nothing from elsewhere. Pure. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/html.ts';

/** `aside` and `main`: HTML. */
export type Framed = { title: string; asideLabel: string; aside: string; main: string };

const links = [
  ['/deployments', 'Deployments'],
  ['/docs/reference/configuration', 'Configuration'],
  ['/docs/reference/cli', 'Command line'],
  ['/docs', 'API'],
] as const;

const boat =
  '<svg viewBox="0 0 20 20" width="24" height="24" fill="currentColor" aria-hidden="true"><path d="M8.8 1.5v10.7H3.9C4.4 8.3 6.2 4.8 8.8 1.5zM11 4.2c2.4 2.4 4 5.1 4.4 8H11z"/><path d="M1.6 13.7h16.8l-3.1 4.8H4.7z"/></svg>';

/** For a narrow page, on which what is beside others comes last. `list`: HTML. */
export function onThisPage(list: string): string {
  return list && `<details class="on-this-page"><summary>On this page</summary>${list}</details>`;
}

/** @param path of the page, which is marked among the links to all. */
export function framedPage({ title, asideLabel, aside, main }: Framed, path: string): string {
  const link = ([to, words]: (typeof links)[number]) =>
    `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${words}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${frameStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="shell"><div><a class="brand" href="/" aria-label="Berth, start">${boat}Berth</a>
<nav aria-label="Main">${links.map(link).join('\n')}</nav></div></header>
<div class="columns">
<nav class="aside" aria-label="${escapeHtml(asideLabel)}">
${aside}
</nav>
<main id="content">
${main}
</main>
</div>
</body>
</html>
`;
}

/** Its colours are those of the dashboard (`tokens.css`). */
export const frameStyle = `
:root{color-scheme:light dark;--ground:light-dark(#f6f7f6,#0e141a);--surface:light-dark(#ffffff,#141c24);--sunken:light-dark(#eef1f1,#0a0f14);--hover:light-dark(#e9eeef,#1b2630);--ink:light-dark(#17232e,#e7edf2);--soft:light-dark(#52606d,#9aa8b5);--line:light-dark(#d9e0e3,#25313c);--sea:light-dark(#17647f,#6bbdd8);--sea-strong:light-dark(#115067,#8fd0e6)}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;background:var(--ground)}
body{margin:0;color:var(--ink);font:1rem/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Inter,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
.skip{position:absolute;top:-4rem;left:1rem;z-index:1;padding:.5rem .75rem;background:var(--surface)}
.skip:focus{top:.5rem}
.shell{border-bottom:1px solid var(--line);background:var(--surface)}
.shell>div,.columns{max-width:76rem;margin:0 auto;padding-inline:clamp(1rem,4vw,2rem)}
.shell>div{display:flex;flex-wrap:wrap;align-items:center;gap:0 .25rem;min-height:3.5rem}
.brand{display:inline-flex;align-items:center;gap:.5rem;margin-right:auto;padding:.5rem 0;color:var(--ink);font-size:1.0625rem;font-weight:680;letter-spacing:-.02em;text-decoration:none}
.brand svg{color:var(--sea)}
.shell nav{display:flex;flex-wrap:wrap}
.shell nav a{padding:.5rem .75rem;border-radius:.4375rem;color:var(--soft);font-size:.9375rem;font-weight:540;text-decoration:none}
.shell nav a:hover,.shell nav [aria-current]{color:var(--ink);background:var(--hover)}
.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:clamp(1.5rem,4vw,3.5rem)}
.aside{position:sticky;top:0;max-height:100vh;overflow:auto;padding:2rem 1rem 2rem 0;font-size:.875rem;align-self:start}
.aside ul{list-style:none;margin:.35rem 0 1.25rem;padding:0}
.aside ul ul{margin:.1rem 0 .5rem;padding-left:.75rem;border-left:1px solid var(--line)}
.aside h2{font-size:.8125rem;color:var(--soft);margin:0}
.aside a{display:block;padding:.2rem 0;color:var(--ink);text-decoration:none;overflow-wrap:anywhere}
.aside a:hover{color:var(--sea)}
.aside [aria-current]{color:var(--sea);font-weight:600}
.aside ul ul a{color:var(--soft)}
main{padding:2rem 0 6rem;min-width:0}
h1,h2,h3,h4{line-height:1.25;letter-spacing:-.015em;font-weight:640;text-wrap:balance}
h1{font-size:clamp(1.6rem,1.3rem + 1.5vw,2.15rem);margin:.2rem 0 .75rem}
h2{font-size:1.35rem;margin:0 0 .35rem}
h3{font-size:1.0625rem;margin:1.75rem 0 .4rem}
p,li{max-width:72ch}
p{margin:.75rem 0}
a{color:var(--sea);text-decoration-thickness:1px;text-underline-offset:.2em}
a:hover{color:var(--sea-strong)}
:focus-visible{outline:2px solid var(--sea);outline-offset:2px}
b.method{font-weight:600;font-size:.75em;letter-spacing:.04em;color:var(--sea)}
.soft{color:var(--soft);font-size:.875rem}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{background:var(--surface);border:1px solid var(--line);border-radius:.625rem;padding:.9rem 1.1rem;overflow:auto;margin:1.25rem 0;line-height:1.5}
pre code{font-size:.875rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{padding:.45rem 1rem .45rem 0;border-top:1px solid var(--line);vertical-align:top;text-align:left}
th{border-top:0;font-weight:600}
.request{margin-top:2.5rem;padding-top:2.5rem;border-top:1px solid var(--line)}
.request h3{font-size:.8125rem;color:var(--soft)}
.request td:nth-child(-n+2){white-space:nowrap}
.line{font-size:1.0625rem}
dl{margin:0}
dt{font-weight:600;margin-top:.9rem}
dd{margin:0}
.document h2{margin:2.75rem 0 .5rem}
.document :not(pre)>code{padding:.1em .3em;border-radius:.25rem;background:var(--sunken)}
.document img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:.625rem}
.document blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.on-this-page{display:none;margin:1rem 0;padding:.6rem .9rem;border:1px solid var(--line);border-radius:.625rem;background:var(--surface)}
.on-this-page h2{font-size:.8125rem;color:var(--soft);margin:.75rem 0 0}
.on-this-page ul{margin:.5rem 0;padding:0;list-style:none}
.on-this-page a{display:block;padding:.25rem 0}
@media (max-width:52rem){.columns{display:flex;flex-direction:column;gap:0}.aside{position:static;max-height:none;padding:1.5rem 0;order:1;border-top:1px solid var(--line)}.aside ul{columns:2 14rem;column-gap:1.5rem}.aside ul ul{display:none}.aside li{break-inside:avoid}main{padding-bottom:2.5rem}.request td:nth-child(2){white-space:normal}.on-this-page{display:block}.shell nav a{padding-inline:.4rem;font-size:.875rem}.shell nav{margin-left:-.4rem}}
`;

const styleHash = createHash('sha256').update(frameStyle).digest('base64');

/** Of these pages: their own style, and pictures of the service. */
export const framePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
