import type { OrganizationId } from '../../model/ids.ts';
import type { FilterNode } from '../filter/ast.ts';
import type { Sort } from './sort.ts';

/** Flags that restrict the result when true; false and absent change nothing. */
export interface RequestFlags {
  readonly cached: boolean;
  readonly scored: boolean;
  readonly inExperiment: boolean;
  /** Only requests without score and feedback: the meaning of `false` for older clients. */
  readonly unscored?: true;
}

export interface RequestSelection {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  readonly flags: RequestFlags;
  readonly sort: Sort;
}

export const noFlags: RequestFlags = { cached: false, scored: false, inExperiment: false };
