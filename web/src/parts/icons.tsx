/** Small icons next to words. Screen readers skip them. */
import type { ReactNode } from 'react';

function icon(drawing: ReactNode, size = 18) {
  return function Icon() {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {drawing}
      </svg>
    );
  };
}

export const Boat = icon(
  <g fill="currentColor" stroke="none">
    <path d="M8.800 1.500v10.700H3.900C4.400 8.300 6.200 4.800 8.800 1.500zM11 4.200c2.400 2.400 4 5.100 4.400 8H11z" />
    <path d="M1.600 13.700h16.800l-3.100 4.800H4.700z" />
  </g>,
  24,
);
export const Globe = icon(
  <>
    <circle cx="10" cy="10" r="7.500" />
    <path d="M2.500 10h15M10 2.500c5 5 5 10 0 15c-5-5-5-10 0-15z" />
  </>,
);
export const Disk = icon(
  <>
    <ellipse cx="10" cy="5" rx="6.500" ry="2.500" />
    <path d="M3.500 5v10c0 1.400 2.900 2.500 6.500 2.500s6.500-1.100 6.500-2.500V5M3.500 10c0 1.400 2.900 2.500 6.500 2.500s6.500-1.100 6.500-2.500" />
  </>,
  15,
);
export const Sun = icon(
  <>
    <circle cx="10" cy="10" r="3.500" />
    <path d="M10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100" />
  </>,
);
export const Moon = icon(<path d="M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z" />);
export const Copy = icon(
  <>
    <rect x="7" y="7" width="10" height="10" rx="2" />
    <path d="M13 4.500A1.500 1.500 0 0 0 11.500 3h-7A1.500 1.500 0 0 0 3 4.500v7A1.500 1.500 0 0 0 4.500 13" />
  </>,
  16,
);
export const Check = icon(<path d="M4 10.500l4 4 8-9" />, 16);
export const Cross = icon(<path d="M5 5l10 10M15 5L5 15" />, 16);
export const Outward = icon(
  <path d="M8 4H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1v-3M11 3.500h5.500V9M16 4l-7 7" />,
  16,
);
export const Down = icon(<path d="M10 4v11M5 10.500l5 5 5-5" />, 16);
