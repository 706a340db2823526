import { sql } from '../../../sql/sql.ts';

/**
 * The age of a request within its session as one number: a later time is greater, and within a millisecond a greater identifier. TRICKY:
 * the engine's maximum of numbers is twice as fast as that of pairs.
 */
export const newestFirstKey = sql`bitShiftLeft(toInt256(toUnixTimestamp64Milli(created_at)), 128) + request_id`;
