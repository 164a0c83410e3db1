/** The picture of "Open in Berth" links. */

/** As in the dashboard's own. */
const boat = 'M7 1v9H3C3.4 6.5 5 3.5 7 1zm2 2.5c2 2 3.3 4.2 3.6 6.5H9zM1 11h14l-2.5 4h-9z';

export const badge = `<svg xmlns="http://www.w3.org/2000/svg" width="126" height="28" role="img" aria-label="Open in Berth">
<title>Open in Berth</title>
<rect width="126" height="28" rx="5" fill="#17647f"/>
<path d="${boat}" fill="#fff" transform="translate(9 6)"/>
<text x="34" y="18.5" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11.5" textLength="84">Open in Berth</text>
</svg>
`;
