import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type { RequestItem } from '../types/request-item.ts';
import type { ImportAnswer } from '../types/requests.ts';

/** A record to import; an exported request is one. */
export type ImportRecord = Pick<RequestItem, 'request_id' | 'request_created_at'> & Partial<RequestItem>;

export interface ImportOptions extends CallOptions {
  /** True checks the records, says what would happen, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** How the lines are compressed, where they are bytes. */
  readonly compression?: 'gzip' | undefined;
}

/** Records from elsewhere, each once. */
export class Imports {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Imports records, or JSON lines as they are. What is on record already is left as it is. */
  async send(
    records: readonly ImportRecord[] | string | Uint8Array | Blob,
    { dryRun, compression, headers, ...options }: ImportOptions = {},
  ): Promise<Answer<ImportAnswer>> {
    const lines = Array.isArray(records) ? records.map((record) => `${JSON.stringify(record)}\n`).join('') : records;
    const encoding = compression === undefined ? {} : { 'content-encoding': compression };
    const reply = await this.connection.call('POST /v1/import', {
      query: { dryRun },
      // The document says "string"; bytes are sent as they are.
      body: lines as string,
      headers: { 'content-type': 'application/x-ndjson', ...encoding, ...headers },
      ...options,
    });
    return answerOf(reply);
  }
}
