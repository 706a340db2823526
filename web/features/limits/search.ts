/** What the address of the limits says. */
export interface LimitsSearch {
  /** Whether a limit is being added. */
  readonly add?: true | undefined;
}

export function limitsSearchOf({ add }: Readonly<Record<string, unknown>>): LimitsSearch {
  return add === true ? { add } : {};
}
