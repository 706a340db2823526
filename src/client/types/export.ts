/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';

/** What is exported, and how it is written. */
export interface Export {
  readonly filter?: Filter | undefined;
  /** Requests that arrived then or later; a date is its beginning, UTC. */
  readonly startDate?: string | number | undefined;
  /** Requests that arrived before then; a date is its beginning, UTC, so that day is not in it. Without it the export ends where it began: what arrives later is not in it. */
  readonly endDate?: string | number | undefined;
  /** The same window in Unix milliseconds, instead of `startDate` and `endDate`. */
  readonly timeFilter?: {
    readonly startTimeUnixMs?: number | undefined;
    readonly endTimeUnixMs?: number | undefined;
  } | undefined;
  /** Without it the header `Accept` decides; `jsonl` else. */
  readonly format?: 'jsonl' | 'csv' | 'parquet' | undefined;
  /** Columns in this order: fields of a request item, `properties.<name>`, `scores.<name>`, `inputs.<name>`, and `cursor`. Without it all, in a fixed order. */
  readonly columns?: readonly string[] | undefined;
  /** True adds both bodies of each request. Without it bodies come when `columns` names them. */
  readonly includeBodies?: boolean | undefined;
  /** Goes on behind a record: `<request_created_at>,<request_id>` of the last one that you have, also the value of the column `cursor`. */
  readonly cursor?: string | undefined;
  /** Of the file; in Parquet of its pages. */
  readonly compression?: 'none' | 'gzip' | 'zstd' | undefined;
  /** csv: true writes cells as they are. Else a text that a spreadsheet would run gets a `'` in front. */
  readonly raw?: boolean | undefined;
  /** csv: true writes a byte order mark first, by which Excel knows UTF-8. */
  readonly bom?: boolean | undefined;
}
