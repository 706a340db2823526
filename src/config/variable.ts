import type { KindLimits, KindName } from './kinds.ts';

/** What defaults depend on: properties of the machine, or of the container on it. */
export interface Machine {
  readonly cores: number;
  /** Of a container; absent: none. */
  readonly memoryLimitBytes?: number;
}

/** One setting. `default` is text as a person would write it; without it the setting may stay unset. */
export interface Variable extends KindLimits {
  readonly name: `GATELOG_${string}`;
  readonly kind: KindName;
  readonly default?: string | ((machine: Machine) => string);
  readonly secret?: true;
  /** One sentence: what the setting is for and why one would change it. */
  readonly reason: string;
}

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const minute = 60_000;
export const hour = 60 * minute;
