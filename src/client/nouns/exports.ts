import type { CallInput, CallOptions, Connection } from '../connection/connection.ts';
import { countHeaders, countIn, type PageOptions } from '../connection/pages.ts';
import { linesOf, piecesOf } from '../connection/streamed.ts';
import type { Export } from '../types/export.ts';
import type { RequestItem } from '../types/request-item.ts';

/** An export as it comes. Its body is read once, by `body` or by `pieces`. */
export interface ExportStream {
  /** Start of the window, ISO 8601, inclusive; undefined without one. */
  readonly start: string | undefined;
  /** End of the window, exclusive. */
  readonly end: string | undefined;
  /** How many records it holds; only when it was asked for. */
  readonly totalCount: number | undefined;
  /** What of the export is surprising: fields that were ignored, a window without records. */
  readonly warning: string | undefined;
  readonly contentType: string;
  readonly body: ReadableStream<Uint8Array>;
  /** The bytes as they come. @throws ApiError `broken_off` when the connection breaks. */
  readonly pieces: () => AsyncGenerator<Uint8Array, void, undefined>;
}

/** An exported record: the named columns, or a whole request. */
export type ExportedRecord<Query extends RowsQuery> = Query extends { readonly columns: readonly string[] }
  ? Readonly<Record<string, unknown>>
  : RequestItem;

/** As {@link Export}, without what only concerns files. */
export type RowsQuery = Omit<Export, 'format' | 'compression' | 'raw' | 'bom'>;

const endpoint = 'POST /v1/export';

/** Requests of any number, as one stream. */
export class Exports {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Opens an export as JSON lines, csv or Parquet. It has no time limit. */
  async open(query: Export = {}, options: PageOptions = {}): Promise<ExportStream> {
    const response = await this.connection.open(endpoint, { body: query, ...countHeaders(options) });
    const { headers } = response;
    const body = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
    return {
      start: headers.get('svc-export-start') ?? undefined,
      end: headers.get('svc-export-end') ?? undefined,
      totalCount: countIn(headers),
      warning: headers.get('svc-warning') ?? undefined,
      contentType: headers.get('content-type') ?? '',
      body,
      pieces: () => piecesOf(body, { endpoint, signal: options.signal }),
    };
  }

  /** The records one by one. After an error the export goes on behind a record with its `cursor` column, or its time and identifier. */
  async *rows<const Query extends RowsQuery>(
    query: Query,
    options: CallOptions = {},
  ): AsyncGenerator<ExportedRecord<Query>, void, undefined> {
    const { pieces } = await this.open({ ...query, format: 'jsonl' }, options);
    for await (const line of linesOf(pieces())) yield this.connection.read(line, endpoint) as ExportedRecord<Query>;
  }

  /** The address of an export that a browser downloads by itself, with its session cookie. */
  address({ filter, columns, startDate, endDate, ...query }: Omit<Export, 'timeFilter'> = {}): string {
    return this.connection.addressOf('GET /v1/export', {
      query: {
        ...query,
        filter: filter === undefined ? undefined : JSON.stringify(filter),
        columns: columns?.join(','),
        startDate: startDate === undefined ? undefined : String(startDate),
        endDate: endDate === undefined ? undefined : String(endDate),
      },
    } satisfies Pick<CallInput<'GET /v1/export'>, 'query'>);
  }
}
