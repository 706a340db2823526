import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { AllowedTarget, EgressPolicy } from '../../egress/target-guard.ts';
import { messageOf } from '../../model/errors.ts';
import { type AttemptOutcome, maxHeadBytes, type ResponseHead } from '../../model/events/attempt.ts';
import { endOfCharacters } from '../../model/text.ts';
import { headerPairs } from '../../platform/http/header-list.ts';
import { retryAfter } from '../../platform/http/retry-after.ts';

export interface JsonPost {
  readonly address: string;
  /** Added to the headers of every post. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

export interface PosterOptions {
  readonly guard: EgressPolicy;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From the look-up of the name to the end of the response. */
  readonly timeoutMs?: number;
  /** Trusted certificates in place of Node's own. */
  readonly ca?: string;
}

const defaultTimeoutMs = 20_000;
/** A wait that a receiver asks for is cut to this. */
const maxRetryAfterMs = 24 * 3_600_000;
const maxHeaderBytes = 16 * 1024;
/** Of a response as it comes over the line: interim heads, the head, and the framing of as much of the body as is kept. */
const maxReceivedBytes = 64 * 1024;
/** Each costs the event loop about as much as a response. */
const maxInterim = 16;
/** Reads of one response: one that comes byte by byte costs the event loop as much for each. */
const maxReads = 1000;

/**
 * Each post opens a connection of its own, so that the guard checks the very address that is dialled. TLS sessions are resumed. Redirects
 * are not followed, and of a response no more is read than its kept part can take, however it is cut into interim heads, chunks and reads.
 */
export class Poster {
  private readonly options: PosterOptions;
  private readonly plain = new http.Agent();
  private readonly encrypted: https.Agent;

  constructor(options: PosterOptions) {
    this.options = options;
    this.encrypted = new https.Agent(options.ca === undefined ? {} : { ca: options.ca });
  }

  /**
   * Posts JSON to an address, once. A failure is a value.
   * @throws the reason of the signal, once it has aborted: nobody knows whether the receiver has the body.
   */
  async post(post: JsonPost, signal: AbortSignal): Promise<AttemptOutcome> {
    const { guard, now, timeoutMs = defaultTimeoutMs } = this.options;
    signal.throwIfAborted();
    const target = guard.check(post.address, 'events');
    if ('problem' in target) return refused(`The address ${target.problem}.`);
    const agent = target.origin.startsWith('https:') ? this.encrypted : this.plain;
    const received = await exchange(optionsOf(target, post, agent), { post, timeoutMs, signal });
    return typeof received === 'string' ? failed(received) : outcomeOf(received, now());
  }
}

function optionsOf({ origin, pathname, search, lookUp }: AllowedTarget, post: JsonPost, agent: http.Agent): RequestOptions {
  const { protocol, hostname, port } = new URL(origin);
  return {
    protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    path: pathname + search,
    method: 'POST',
    agent,
    lookup: lookUp,
    maxHeaderSize: maxHeaderBytes,
    headers: headersOf(post),
  };
}

function headersOf({ headers, body }: JsonPost): Readonly<Record<string, string>> {
  return {
    'User-Agent': 'Gatelog',
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  };
}

/** Request line and headers of a post, one a line. */
export function requestHeadOf(post: JsonPost): string {
  const { host, pathname, search } = new URL(post.address);
  const lines = Object.entries(headersOf(post)).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...lines].join('\n');
}

interface Exchange {
  readonly post: JsonPost;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A response and the beginning of its body. */
interface Received {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

const nothing = (): void => undefined;

/** @returns why there is no response, or the response, whose status counts even when its body never ends. */
async function exchange(options: RequestOptions, { post, timeoutMs, signal }: Exchange): Promise<Received | string> {
  const request = (options.protocol === 'https:' ? https : http).request(options);
  const chunks: Buffer[] = [];
  let response: IncomingMessage | undefined;
  let abort: () => void = nothing;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Received | string>((resolve, reject) => {
      const end = (problem: string): void => {
        resolve(response === undefined ? problem : { response, body: Buffer.concat(chunks) });
      };
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort);
      timer = setTimeout(() => end(`The receiver did not answer within ${timeoutMs / 1000} s.`), timeoutMs);
      request.on('error', (error) => end(problemOf(error))).on('close', () => end('The receiver closed the connection without an answer.'));
      boundReceived(request, (problem) => {
        end(problem);
        request.destroy();
      });
      request.on('response', (incoming) => {
        response = incoming;
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes >= maxHeadBytes) end('');
        });
        incoming.on('end', () => end('')).on('error', () => end(''));
      });
      request.end(post.body);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    // The error listener stays, because an unhandled error event ends the process.
    request.destroy();
  }
}

/** @param exceeded called once a receiver sends more than a response has, in whatever form. */
function boundReceived(request: ClientRequest, exceeded: (problem: string) => void): void {
  let [interim, reads, bytes] = [0, 0, 0];
  request.on('information', () => {
    interim += 1;
    if (interim === maxInterim + 1) exceeded(`The receiver sent more than ${maxInterim} interim responses (1xx) and no answer.`);
  });
  request.on('socket', (socket) => {
    // TRICKY: the parser reads what comes in one piece to its end, whatever a listener behind it does.
    socket.prependListener('data', (chunk: Buffer) => {
      reads += 1;
      bytes += chunk.length;
      if (bytes <= maxReceivedBytes && reads <= maxReads) return;
      exceeded(`The receiver sent more than ${maxReceivedBytes / 1024} KiB, or more than ${maxReads} pieces, and no whole answer.`);
    });
  });
}

interface ConnectionError extends Error {
  readonly code?: string;
  readonly hostname?: string;
  readonly errors?: readonly Error[];
}

/** Why no connection to a receiver came about, as a sentence. */
export function problemOf(error: ConnectionError): string {
  if (error.code === 'target_not_allowed') return error.message;
  if (error.code === 'ENOTFOUND' && error.hostname !== undefined) return `The host ${error.hostname} was not found.`;
  // An error for several addresses has no message of its own.
  const message = messageOf(error) || messageOf(error.errors?.[0] ?? error.code ?? error.name);
  return `There is no connection to the receiver: ${message}.`;
}

function outcomeOf({ response, body }: Received, now: number): AttemptOutcome {
  const head = headOf(response, body);
  const { status } = head;
  if (status >= 200 && status < 300) return { kind: 'delivered', response: head };
  if (status === 410) {
    return { kind: 'refused', reason: 'The receiver answered 410: it wants no events any more.', response: head, disables: true };
  }
  const asked = retryAfter(response.rawHeaders, now);
  const reason =
    status >= 300 && status < 400
      ? `The receiver answered ${status}, a redirect, and redirects are not followed; give the address to which it leads.`
      : `The receiver answered ${status}.`;
  return { kind: 'failed', reason, response: head, retryAfterMs: asked === undefined ? undefined : Math.min(asked, maxRetryAfterMs) };
}

/** Cut to {@link maxHeadBytes} in UTF-8, at a character's end. */
function headOf({ statusCode = 0, statusMessage = '', httpVersion, rawHeaders }: IncomingMessage, body: Buffer): ResponseHead {
  const lines = headerPairs(rawHeaders).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines, '', body.toString('utf8')]
    .join('\n')
    .replaceAll('\0', '\uFFFD');
  const bytes = Buffer.from(text);
  if (bytes.length <= maxHeadBytes) return { status: statusCode, head: text };
  return { status: statusCode, head: bytes.toString('utf8', 0, endOfCharacters(bytes, maxHeadBytes)) };
}

function failed(reason: string): AttemptOutcome {
  return { kind: 'failed', reason, response: undefined, retryAfterMs: undefined };
}

function refused(reason: string): AttemptOutcome {
  return { kind: 'refused', reason, response: undefined, disables: false };
}
