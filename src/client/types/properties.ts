/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';

/** Which names are listed. */
export interface PropertyListQuery {
  /** Part of the name, in any case; without it every name. */
  readonly searchTerm?: string | undefined;
}

/** At most 10000 names, in the order of their bytes. */
export type PropertyNamesAnswer = readonly {
  readonly property: string;
}[];

/** The property that is meant, with its case. */
export interface NamedProperty {
  readonly key: string;
}

/** Every later list is so. */
export interface ChangedVisibility {
  readonly ok: true;
}

/** What the values contain. */
export interface PropertySearch {
  /** Part of the value, in any case; empty: every value. */
  readonly searchTerm: string;
}

/** At most 25 values: those that begin with the term first, then by their bytes. */
export type PropertyValuesAnswer = readonly string[];

/** The range of a question for the top values of a property. */
export interface TopValuesQuery {
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
}

/** The ten dearest values, then `Other` where there are more. All add up to the whole exactly. */
export type TopCostsAnswer = readonly {
  /** Value of the property; `Other` for all further values together. */
  readonly value: string;
  readonly cost: number;
}[];

/** The ten most frequent values, then `Other` where there are more. */
export type TopRequestsAnswer = readonly {
  /** Value of the property; `Other` for all further values together. */
  readonly value: string;
  readonly count: number;
}[];

/** A question for a property over time. */
export interface PropertyOverTimeQuery {
  readonly propertyKey: string;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
  readonly userFilter?: Filter | undefined;
  /** Length of a bucket of time. */
  readonly dbIncrement?: 'min' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
  /** Where a bucket begins: up to 24 hours from UTC, above that minutes; negative west of it. */
  readonly timeZoneDifference?: number | undefined;
}

/** By time, then the dearest value first; at most 10,000 rows. */
export type PropertyOverTimeAnswer = readonly {
  /** Value of the property. */
  readonly property: string;
  readonly total_cost: number;
  readonly request_count: number;
  /** Start of the bucket, ISO 8601. */
  readonly created_at_trunc: string;
}[];

/** Whether lists show the property. */
export interface PropertyVisibility {
  /** True leaves the name out of lists, false shows it again; either declares nothing. Without it the name is declared. */
  readonly hidden?: boolean | undefined;
}

export interface DeclaredPropertyAnswer {
  /** The name with the spelling that is stored from now on. */
  readonly name: string;
  /** The other spelling that was declared until now, null when there was none. */
  readonly replaced: string | null;
  /** Whether lists leave the name out. */
  readonly hidden: boolean;
}
