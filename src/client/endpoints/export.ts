/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Export } from '../types/export.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface ExportEndpoints {
  readonly 'POST /v1/export': {
    readonly body: Export;
    readonly stream: string;
  };
  readonly 'GET /v1/export': {
    readonly query?: {
      /** A filter as URL-encoded JSON; without it every request. */
      readonly filter?: string | undefined;
      /** Requests that arrived then or later; a date is its beginning, UTC. */
      readonly startDate?: string | undefined;
      /** Requests that arrived before then. */
      readonly endDate?: string | undefined;
      /** Without it the header `Accept` decides; `jsonl` else. */
      readonly format?: 'jsonl' | 'csv' | 'parquet' | undefined;
      /** Columns separated by commas, or a list of JSON. */
      readonly columns?: string | undefined;
      /** `true` adds both bodies of each request. */
      readonly includeBodies?: boolean | undefined;
      /** Goes on behind a record: `<request_created_at>,<request_id>`. */
      readonly cursor?: string | undefined;
      /** Of the file; in Parquet of its pages. */
      readonly compression?: 'none' | 'gzip' | 'zstd' | undefined;
      /** csv: `true` writes cells as they are. */
      readonly raw?: boolean | undefined;
      /** csv: `true` writes a byte order mark first. */
      readonly bom?: boolean | undefined;
    };
    readonly stream: string;
  };
}
