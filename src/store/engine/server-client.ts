import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';

/** Longer than any statement of ours may take. */
const requestTimeoutMs = 600_000;

/**
 * What our statements count on, whatever the profile of the server's user says. A statement's own settings come on top; of reads they are
 * those of `run-statement.ts`.
 */
const assumed: ClickHouseSettings = {
  // A batch is stored when it is answered, and once.
  async_insert: 0,
  insert_deduplicate: 1,
  // Since 26.1 it decides in place of the one before.
  deduplicate_insert: 'enable',
  // A failure is a status of its own, and not the end of a response that began well.
  wait_end_of_query: 1,
  max_execution_time: 0,
  join_use_nulls: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  max_query_size: String(16 * 1024 * 1024),
  max_ast_elements: '2000000',
  max_expanded_ast_elements: '2000000',
  max_parser_depth: '4000',
};

/**
 * Behind one address may be several replicas, each of which may answer. Cloud then shows what was just written, and so do replicas whose user
 * inserts with a quorum; anywhere else it changes nothing.
 */
const behindOneAddress: ClickHouseSettings = { select_sequential_consistency: '1' };

/** A client of a ClickHouse server. @param url with user, password and database. @param isOneOfSeveral each address is one replica. */
export function openServerClient(url: string, { isOneOfSeveral = false } = {}): ClickHouseClient {
  return createClient({
    url,
    application: 'gatelog',
    request_timeout: requestTimeoutMs,
    clickhouse_settings: isOneOfSeveral ? assumed : { ...assumed, ...behindOneAddress },
    // Lists of identifiers exceed what an address may have.
    use_multipart_params_auto: true,
    // We report failures ourselves; the client would write its own lines to the console.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** A statement without rows, with its parameters as text: see `parameters.ts`. */
export interface ServerCommand {
  readonly text: string;
  readonly params: ReadonlyMap<string, string>;
  readonly settings: ClickHouseSettings;
}

/**
 * Runs a statement that returns nothing. It is sent as a form, as the client sends reads alone: identifiers of a whole batch are longer than
 * an address may be.
 */
export async function runOnServer(client: ClickHouseClient, { text, params, settings }: ServerCommand): Promise<void> {
  const boundary = `gatelog-${randomUUID()}`;
  const parts = [['query', text] as const, ...[...params].map(([name, value]) => [`param_${name}`, value] as const)];
  const body = parts.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('');
  const { stream } = await client.exec({
    query: '',
    values: Readable.from([`${body}--${boundary}--\r\n`]),
    http_headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    clickhouse_settings: settings,
  });
  for await (const chunk of stream) void chunk;
}
