import type { OrganizationId } from '../../model/ids.ts';
import type { FilterNode } from '../filter/ast.ts';
import type { Sort } from './sort.ts';

/** What `true` in a flag of the body keeps; `false` and absent change nothing. */
export interface RequestFlags {
  readonly cached: boolean;
  readonly scored: boolean;
  readonly inExperiment: boolean;
  /** Only requests without score and feedback: what `false` means to older clients. */
  readonly unscored?: true;
}

/** Which requests are asked for, and in which order. */
export interface RequestQueryStatement {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  readonly flags: RequestFlags;
  readonly sort: Sort;
}

/** What a query with the flag left out or false keeps: everything. */
export const noFlags: RequestFlags = { cached: false, scored: false, inExperiment: false };
