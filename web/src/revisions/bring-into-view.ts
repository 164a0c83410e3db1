/** As a `ref`: what was asked for above is shown when it comes, on a page that is longer than the screen. */
export function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start', behavior: 'smooth' });
}
