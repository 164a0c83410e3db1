/** As a `ref`: scrolls to an element that the user requested, once it has loaded. */
export function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start', behavior: 'smooth' });
}
