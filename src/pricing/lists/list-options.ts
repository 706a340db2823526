export interface ListFault {
  /** Such as `[3].input`; empty: the whole. */
  readonly path: string;
  /** Continues a sentence that begins with the path. */
  readonly problem: string;
}

export interface ListOptions {
  /** Who says so, and when; for entries that do not say it themselves. */
  readonly source: string;
  /** A listed 0 is a price. */
  readonly zeroIsFree: boolean;
  /** The name in the public list of a provider by any of its names; undefined for an unknown one. */
  readonly providerIdOf: (name: string) => string | undefined;
}

/** Bounds of a list: every call is priced by what it becomes, in every process. */
export const listLimits = { prices: 20_000, steps: 16, usdPerMillion: 1_000_000_000 } as const;

/** Dollars for a million of what costs so much each, without the error of the multiplication. */
export function perMillion(usd: number): number {
  return Number((usd * 1e6).toPrecision(12));
}
