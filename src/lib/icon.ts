/** The icon of Berth, a boat, as browsers show it next to a page's title. */

/** The outline in a box of 16 × 16. */
export const boatPath = 'M7 1v9H3C3.4 6.5 5 3.5 7 1zm2 2.5c2 2 3.3 4.2 3.6 6.5H9zM1 11h14l-2.5 4h-9z';

export const iconSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#1d7391" d="${boatPath}"/></svg>`;

/** For pages that cannot load a file from the host that they are shown under. */
export const iconUrl = `data:image/svg+xml,${encodeURIComponent(iconSvg)}`;
