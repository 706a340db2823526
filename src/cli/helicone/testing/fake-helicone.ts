import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type JsonObject, parseRecordedJson } from '../../../model/text.ts';
import { closeServer, listen } from '../../../platform/http/server.ts';
import type { FakeRecord } from './records.ts';

/**
 * What goes wrong with a call. `cut` breaks the connection in the middle of the response; `empty` is how upstream answers a query that its
 * store has refused.
 */
export type Fault = 'cut' | 'error' | 'empty' | 'unavailable' | { readonly slowMs: number } | { readonly retryAfterSeconds: number };

export interface FakeOptions {
  readonly records: readonly FakeRecord[];
  /** @param call the number of the call to the API, from 1. */
  readonly faultOf?: (call: number, path: string) => Fault | undefined;
  /** Added to the counts of windows that begin on this day. */
  readonly wrongCounts?: Readonly<Record<string, number>>;
  /** Rows that a page loses after its limit, as duplicates that upstream's store has not merged yet. */
  readonly isDuplicated?: (record: FakeRecord) => boolean;
  /** The signed addresses lead nowhere. */
  readonly isBucketAway?: boolean;
  /** Each of the versions and mistakes of an API that is none. */
  readonly ignores?: 'filter' | 'sort';
}

/** A server that speaks the part of upstream's public API that an import uses. */
export interface FakeHelicone {
  readonly url: string;
  readonly key: string;
  /** Calls to the API so far, of the bucket, and the largest page. */
  readonly calls: () => { readonly api: number; readonly bucket: number; readonly byPath: Readonly<Record<string, number>> };
  readonly close: () => Promise<void>;
}

const key = 'sk-helicone-aaaaaaa-bbbbbbb-ccccccc-ddddddd';
const maxLimit = 1000;
const knownFields = new Set(['filter', 'offset', 'limit', 'sort', 'isCached', 'includeInputs', 'isPartOfExperiment', 'isScored']);

export async function startFakeHelicone(options: FakeOptions): Promise<FakeHelicone> {
  let [api, bucket] = [0, 0];
  const byPath: Record<string, number> = {};
  const byId = new Map(options.records.map((record) => [record.id, record]));
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://fake');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (pathname.startsWith('/bucket/')) {
      bucket += 1;
      return answerBucket(byId.get(pathname.slice(8)), response);
    }
    api += 1;
    byPath[pathname] = (byPath[pathname] ?? 0) + 1;
    if (request.headers.authorization !== `Bearer ${key}`) {
      return send(response, 401, { error: 'API Key is not well formed', trace: 'isAuthenticated.error' });
    }
    const fault = options.faultOf?.(api, pathname);
    if (fault !== undefined && (await fail(fault, response))) return;
    const body = parseRecordedJson(Buffer.concat(chunks).toString());
    const { status, content } = contentOf({ path: pathname, body, options, url });
    if (fault === 'cut') {
      const text = JSON.stringify(content);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
      return;
    }
    send(response, status, content);
  };
  const answerBucket = (record: FakeRecord | undefined, response: ServerResponse): void => {
    if (options.isBucketAway === true) return void response.destroy();
    if (record?.bodies === undefined) return send(response, 403, { error: 'AccessDenied' });
    send(response, 200, record.bodies);
  };
  const url = await listen(server, '127.0.0.1', 0);
  return { url, key, calls: () => ({ api, bucket, byPath: { ...byPath } }), close: () => closeServer(server, 100) };
}

/** @returns whether the call has its response. */
async function fail(fault: Fault, response: ServerResponse): Promise<boolean> {
  if (fault === 'cut') return false;
  if (fault === 'empty') send(response, 200, { data: [], error: null });
  else if (fault === 'error') send(response, 500, { data: null, error: 'Query timed out' });
  else if (fault === 'unavailable') send(response, 503, '<html>503</html>');
  else if ('slowMs' in fault) {
    await wait(fault.slowMs);
    return false;
  } else {
    response.setHeader('retry-after', String(fault.retryAfterSeconds));
    send(response, 429, { error: 'Too many requests, please try again later.' });
  }
  return true;
}

interface Asked {
  readonly path: string;
  readonly body: unknown;
  readonly options: FakeOptions;
  readonly url: string;
}

interface Content {
  readonly status: number;
  readonly content: unknown;
}

function contentOf({ path, body, options, url }: Asked): Content {
  const id = /^\/v1\/request\/([^/]+)$/.exec(path)?.[1];
  if (id !== undefined && !['query-clickhouse'].includes(id)) return single(options, id);
  const fields = isJsonObject(body) ? body : {};
  const unknown = Object.keys(fields).find((name) => !knownFields.has(name));
  if (unknown !== undefined || fields['filter'] === undefined) {
    return { status: 422, content: { message: 'Validation Failed', details: { [unknown ?? 'filter']: {} } } };
  }
  const { fromMs, toMs } = options.ignores === 'filter' ? { fromMs: 0, toMs: Number.POSITIVE_INFINITY } : boundsOf(fields['filter']);
  const matching = options.records.filter(({ createdAt }) => createdAt >= fromMs && createdAt < toMs);
  if (path === '/v1/request/count/query') {
    const wrong = options.wrongCounts?.[Number.isFinite(fromMs) ? new Date(fromMs).toISOString().slice(0, 10) : ''] ?? 0;
    return { status: 200, content: { data: matching.length + wrong, error: null } };
  }
  if (path !== '/v1/request/query-clickhouse') return { status: 404, content: { message: 'Not Found' } };
  return page(matching, fields, { options, url });
}

function page(matching: readonly FakeRecord[], fields: JsonObject, { options, url }: Pick<Asked, 'options' | 'url'>): Content {
  const [offset, limit] = [Number(fields['offset'] ?? 0), Number(fields['limit'] ?? 10)];
  if (limit < 0 || limit > maxLimit) return { status: 500, content: { data: null, error: 'invalid limit' } };
  const isAscending = isJsonObject(fields['sort']) && fields['sort']['created_at'] === 'asc' && options.ignores !== 'sort';
  const sorted = isAscending ? matching : matching.toReversed();
  const rows = sorted
    .flatMap((record) => (options.isDuplicated?.(record) === true ? [record, record] : [record]))
    .slice(offset, offset + limit);
  const data = [...new Set(rows)].map(({ id, row }) => ({
    ...row,
    signed_body_url: row['storage_location'] === 's3' ? `${url}/bucket/${id}?signature=x` : null,
  }));
  return { status: 200, content: { data, error: null } };
}

function single({ records }: FakeOptions, id: string): Content {
  const record = records.find((candidate) => candidate.id === id.toLowerCase());
  if (record === undefined) return { status: 200, content: { data: null, error: 'Request not found' } };
  return {
    status: 200,
    content: { data: { ...record.row, request_body: record.bodies?.request, response_body: record.bodies?.response }, error: null },
  };
}

/** The bounds of `request_created_at` in a filter, cut to whole seconds as upstream does. */
function boundsOf(filter: unknown): { readonly fromMs: number; readonly toMs: number } {
  if (!isJsonObject(filter)) return { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
  if ('left' in filter) {
    const [left, right] = [boundsOf(filter['left']), boundsOf(filter['right'])];
    return { fromMs: Math.max(left.fromMs, right.fromMs), toMs: Math.min(left.toMs, right.toMs) };
  }
  const { request_response_rmt: wrapper } = filter;
  const { gte, lt } = ((wrapper as JsonObject | undefined)?.['request_created_at'] ?? {}) as {
    readonly gte?: string;
    readonly lt?: string;
  };
  return { fromMs: gte === undefined ? 0 : wholeSecond(gte), toMs: lt === undefined ? Number.POSITIVE_INFINITY : wholeSecond(lt) };
}

function wholeSecond(text: string): number {
  return Math.floor(Date.parse(text) / 1000) * 1000;
}

function send(response: ServerResponse, status: number, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
