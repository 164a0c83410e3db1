/** The browser and system that a user agent names, as people know them. Pure. */

const systems = ['Android', 'iPhone', 'iPad', 'Macintosh', 'Windows', 'CrOS', 'Linux'];

/** Undefined for an unknown user agent. */
export function deviceIn(userAgent: string): string | undefined {
  // Android calls itself Linux too.
  const system = systems.find((word) => userAgent.includes(word));
  const systemName = system?.replace('CrOS', 'ChromeOS').replace('Macintosh', 'Mac');
  // Edge and Opera call themselves Chrome too, and Chrome calls itself Safari.
  const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(withoutCommon(userAgent))?.[0];
  const name = browser?.replace('Edg', 'Edge').replace('OPR', 'Opera');
  if (name === undefined) return systemName;
  return systemName === undefined ? name : `${name} on ${systemName}`;
}

/** The words that only the most exact name of a browser is without. */
function withoutCommon(userAgent: string): string {
  return /Edg|OPR/.test(userAgent) ? userAgent.replace(/Chrome|Safari/g, '') : userAgent;
}
