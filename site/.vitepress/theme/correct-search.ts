/**
 * The search of VitePress says that it is a button with a list box, and its results are links, which a list box must not
 * contain (axe: nested-interactive). Here the search is a dialog with a list of links, and its keys are pictures.
 */

const corrections: readonly { selector: string; role: string; without: readonly string[] }[] = [
  { selector: '.VPLocalSearchBox', role: 'dialog', without: ['aria-expanded', 'aria-haspopup', 'aria-owns'] },
  { selector: '.VPLocalSearchBox [role=listbox]', role: 'list', without: ['aria-labelledby'] },
  { selector: '.VPLocalSearchBox [role=option]', role: 'listitem', without: [] },
  { selector: '.VPLocalSearchBox [role=listitem]', role: 'listitem', without: ['aria-selected'] },
  { selector: '.VPLocalSearchBox kbd[aria-label]', role: 'img', without: [] },
  { selector: '.VPLocalSearchBox a.result', role: 'link', without: ['aria-label'] },
];

/** Corrects the search whenever it opens or changes. */
export function correctSearch(): void {
  new MutationObserver(() => {
    for (const { selector, role, without } of corrections) {
      for (const element of document.querySelectorAll(selector)) {
        if (element.getAttribute('role') !== role) element.setAttribute('role', role);
        for (const name of without) element.removeAttribute(name);
      }
    }
  }).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-selected', 'aria-label', 'aria-owns'],
  });
}
