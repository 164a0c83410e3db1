/** The picture of "Open in Berth" links. */
import { boatPath } from '../../lib/icon.ts';

export const badge = `<svg xmlns="http://www.w3.org/2000/svg" width="126" height="28" role="img" aria-label="Open in Berth">
<title>Open in Berth</title>
<rect width="126" height="28" rx="5" fill="#17647f"/>
<path d="${boatPath}" fill="#fff" transform="translate(9 6)"/>
<text x="34" y="18.5" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11.5" textLength="84">Open in Berth</text>
</svg>
`;
