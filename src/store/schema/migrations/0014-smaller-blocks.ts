import type { Migration } from './migration.ts';

/**
 * A read of one body decompresses its whole block of each column: with blocks of 4 MiB that took 24 ms. A block ends with the first granule
 * that makes it larger than the minimum: small bodies have blocks of about that size, long conversations those of a granule, a megabyte, over
 * which they repeat. Parts get the new blocks when they are merged. Measured in `docs/internals/decisions/0009-bodies-in-groups.md`.
 */
const blocks = {
  request_body: { min: 262_144, max: 2_097_152 },
  request_rest: { min: 262_144, max: 2_097_152 },
  response_body: { min: 65_536, max: 1_048_576 },
  response_rest: { min: 65_536, max: 1_048_576 },
};

export const smallerBlocks: Migration = {
  number: 14,
  name: 'smaller blocks',
  statements: Object.entries(blocks).map(
    ([column, { min, max }]) =>
      `ALTER TABLE bodies MODIFY COLUMN ${column} MODIFY SETTING min_compress_block_size = ${min}, max_compress_block_size = ${max}`,
  ),
};
