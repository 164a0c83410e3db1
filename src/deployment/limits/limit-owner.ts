/** PURE. What sets a limit: the machine, the plan of an account, or what is given without one. */

export type Owner = 'server' | 'stranger' | { plan: string };

/** `with the plan "free"` */
export function forWhom(owner: Exclude<Owner, 'server'>): string {
  return owner === 'stranger' ? 'without an account' : `with the plan "${owner.plan}"`;
}
