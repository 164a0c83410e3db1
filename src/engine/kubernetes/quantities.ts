/** PURE. Amounts as a cluster writes them: `500m`, `128Mi`, `1e3`. */

const factors: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** Undefined for other texts. */
export function amountOf(text: string | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([A-Za-z]{0,2})$/.exec(text ?? '') ?? [];
  const factor = unit === '' ? 1 : factors[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

export function bytesOf(text: string | undefined): number | undefined {
  const bytes = amountOf(text);
  return bytes === undefined ? undefined : Math.round(bytes);
}
