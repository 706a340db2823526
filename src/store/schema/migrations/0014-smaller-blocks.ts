import type { Migration } from './migration.ts';

/**
 * A read of one body decompresses its whole block of each column: with 4 MiB some 24 ms, with these 6. Requests repeat a conversation over
 * a megabyte; responses repeat little. Parts get the new blocks when they are merged. Measured in
 * `docs/internals/decisions/0009-bodies-in-groups.md`.
 */
const blockBytes = { request_body: 1_048_576, request_rest: 1_048_576, response_body: 262_144, response_rest: 262_144 };

export const smallerBlocks: Migration = {
  number: 14,
  name: 'smaller blocks',
  statements: Object.entries(blockBytes).map(
    ([column, bytes]) =>
      `ALTER TABLE bodies MODIFY COLUMN ${column} MODIFY SETTING min_compress_block_size = ${bytes}, max_compress_block_size = ${bytes}`,
  ),
};
