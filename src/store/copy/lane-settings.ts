import type { QuerySettings } from '../engine/parameters.ts';

/** Of every read of the lane `copy`: it runs for hours beside calls and queries. */
export const laneSettings: QuerySettings = { max_threads: 1 };
