import { createMcpHandler } from '@modelcontextprotocol/server';
import { createClient, type Fetch } from '../client/client.ts';
import { makeServer, type ServerParts } from './server.ts';

/** A call of the protocol over HTTP, whose key has been checked. */
export interface McpCall {
  readonly request: Request;
  readonly key: string;
  /** Calls the API with the caller's key. */
  readonly fetch: Fetch;
}

export type AnswerMcp = (call: McpCall) => Promise<Response>;

/** Arguments of a call; bodies are never sent. */
const maxBodyBytes = 256 * 1024;
/** The host is never looked up: calls stay in the process. */
const innerUrl = 'http://gatelog.internal';

/** Makes the protocol's handler. It keeps nothing between two calls: each has its own server, and there are neither sessions nor subscriptions. */
export function makeAnswerMcp(parts: Pick<ServerParts, 'now' | 'version'> & { readonly publicUrl: () => string }): AnswerMcp {
  return async ({ request, key, fetch }) => {
    const gatelog = createClient({ apiUrl: innerUrl, apiKey: key, fetch, retries: 1 });
    const { now, version } = parts;
    const server = { gatelog, now, version, publicUrl: parts.publicUrl(), signal: request.signal };
    const handler = createMcpHandler(() => makeServer(server), { maxSubscriptions: 0, maxRequestBodySize: maxBodyBytes, keepAliveMs: 0 });
    if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return handler.fetch(request);
    const text = await request.text();
    if (isBatch(text)) return refusedBatch();
    const { url, method, headers, signal } = request;
    return handler.fetch(new Request(url, { method, headers, signal, body: text }));
  };
}

/** The library runs all calls of a batch at once, past the limit of running calls. */
function isBatch(text: string): boolean {
  return /^\s*\[/.test(text);
}

function refusedBatch(): Response {
  const error = { code: invalidRequest, message: 'Batches are not taken; send one call a POST.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
}

/** JSON-RPC's code. */
const invalidRequest = -32_600;
