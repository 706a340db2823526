import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants as zlib, gzip } from 'node:zlib';
import { messageOf } from '../model/errors.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import { printable } from '../config/text-table.ts';
import { type CommandDependencies, CommandError } from './dependencies.ts';

interface AnswerShape<Answer> {
  readonly parse: (answer: unknown) => Answer;
}

/** A running service, reached through its API with the key of one organisation. */
export interface ServiceClient {
  /** Sends JSON and reads the response. @throws CommandError with the sentence of the service, or the reason why it is unreachable. */
  readonly post: <Answer>(path: string, body: unknown, shape: AnswerShape<Answer>) => Promise<Answer>;
  /** Sends lines of JSON, compressed unless the service is on this machine. @throws as `post`; {@link AwayError} where a later try may help. */
  readonly postLines: <Answer>(path: string, lines: Buffer, shape: AnswerShape<Answer>) => Promise<Answer>;
  readonly openStream: OpenStream;
  /** As {@link post}, without a body. */
  readonly get: <Answer>(path: string, shape: AnswerShape<Answer>) => Promise<Answer>;
}

/** An answer that is read as it comes. */
export interface StreamedAnswer {
  readonly headers: Headers;
  /** @throws AwayError when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends JSON and opens the response. @throws CommandError with the sentence of the service; AwayError when it may be there later. */
export type OpenStream = (path: string, body: unknown, headers: Readonly<Record<string, string>>) => Promise<StreamedAnswer>;

/** The service cannot be reached, cannot work now, or has broken off its answer. */
export class AwayError extends CommandError {}

const standardAddress = 'http://127.0.0.1:8788';
const answerMs = 120_000;
/** Tries while a part of the service is away, at the interval that it names. */
const maxTries = 5;
const maxWaitSeconds = 10;

/**
 * Makes the client of `GATELOG_API_URL` with `GATELOG_API_KEY`; sends nothing yet. @throws CommandError when the key is missing or one of
 * them is unusable.
 */
export function serviceClient({ environment }: CommandDependencies): ServiceClient {
  const base = addressOf(environment['GATELOG_API_URL']);
  const key = keyOf(environment['GATELOG_API_KEY']);
  const advice = 'set GATELOG_API_URL to the address that "gatelog serve" shows as API';
  const place = { name: base, advice };
  return {
    ...clientOver(place, (path, body) => sendToAddress(base + path, key, body)),
    openStream: (path, body, headers) => openStream(place, { address: base + path, key, headers }, JSON.stringify(body)),
  };
}

const localHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The service's address, and advice for when it is unreachable. */
interface Place {
  readonly name: string;
  readonly advice: string;
}

interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** A body as it is sent. */
interface SentBody {
  readonly bytes: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param send absent body: a GET. */
function clientOver(place: Place, send: (path: string, body?: SentBody) => Promise<Response>): Omit<ServiceClient, 'openStream'> {
  return {
    post: async (path, body, shape) => {
      const sent: SentBody = { bytes: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      return shape.parse(await answered(place, () => send(path, sent)));
    },
    postLines: async (path, lines, shape) => {
      const sent = await linesTo(place, lines);
      return shape.parse(await answered(place, () => send(path, sent)));
    },
    get: async (path, shape) => shape.parse(await answered(place, () => send(path))),
  };
}

async function linesTo({ name }: Place, lines: Buffer): Promise<SentBody> {
  const type = { 'content-type': 'application/x-ndjson' };
  if (localHosts.has(URL.parse(name)?.hostname ?? '')) return { bytes: lines, headers: type };
  return { bytes: await promisify(gzip)(lines, { level: zlib.Z_BEST_SPEED }), headers: { ...type, 'content-encoding': 'gzip' } };
}

function addressOf(text: string | undefined): string {
  const url = URL.parse(text === undefined || text === '' ? standardAddress : text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new CommandError(`GATELOG_API_URL is not the address of an API; write one such as ${standardAddress}, without a user.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function keyOf(key: string | undefined): string {
  if (key === undefined || key === '') {
    throw new CommandError(
      'GATELOG_API_KEY is not set: this command needs a key of your organisation. On the machine of the service, "gatelog keys create --org NAME --permissions admin" creates one.',
    );
  }
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new CommandError('GATELOG_API_KEY is no key: it holds spaces or other characters that keys do not have.');
  }
  return key;
}

async function sendToAddress(address: string, key: string, body: SentBody | undefined): Promise<Response> {
  const response = await fetch(address, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...body?.headers },
    ...(body === undefined ? {} : { body: body.bytes }),
    // The key goes to no other address than the named one.
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

interface StreamRequest {
  readonly address: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** It has no time limit as a whole. */
async function openStream(place: Place, { address, key, headers }: StreamRequest, body: string): Promise<StreamedAnswer> {
  const response = await reached(place, () =>
    fetch(address, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
    }),
  );
  if (response.status === 200 && response.body !== null) return { headers: response.headers, body: piecesOf(response.body) };
  const text = await reached(place, () => response.text());
  const answer = answerIn(place, response.status, text);
  const sentence = `${answer.error ?? `status ${response.status}`}${placeOf(answer.details)}`;
  throw response.status === 503 ? new AwayError(sentence) : new CommandError(sentence);
}

async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new AwayError(`The service broke off its answer (${messageOf(error)}).`, { cause: error });
  }
}

interface Envelope {
  readonly error: string | null;
  readonly details: unknown;
}

/** The envelope of an answer. @throws CommandError when it is none. */
function answerIn({ name, advice }: Place, status: number, text: string): Envelope {
  const answer = parseJson(text);
  if (isJsonObject(answer)) {
    const { error, details } = answer;
    if (typeof error === 'string' || error === null) return { ...answer, error, details };
  }
  throw new CommandError(`What answers at ${name} is not the API of Gatelog (status ${status}${sentenceIn(answer)}): ${advice}.`);
}

/** The first response that is not 503. */
async function answered(place: Place, attempt: () => Promise<Response>): Promise<unknown> {
  for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
    const { status, retryAfter, text } = await reached(place, attempt);
    const answer = answerIn(place, status, text);
    if (status === 200) return answer;
    const sentence = `${answer.error ?? `status ${status}`}${placeOf(answer.details)}`;
    if (status !== 503) throw new CommandError(sentence);
    if (triesLeft === 0) throw new AwayError(sentence);
    await wait(1000 * Math.min(Number(retryAfter) || 1, maxWaitSeconds));
  }
}

/** @throws AwayError when nothing answers. */
async function reached<Answer>({ name, advice }: Place, attempt: () => Promise<Answer>): Promise<Answer> {
  try {
    return await attempt();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new AwayError(`No Gatelog answers at ${name} (${messageOf(cause)}). Start it with "gatelog serve", or ${advice}.`);
  }
}

/** The message of another service, such as the gateway, in its own error shape. */
function sentenceIn(answer: unknown): string {
  const error = isJsonObject(answer) ? answer['error'] : undefined;
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? `, "${printable(message).slice(0, 300)}"` : '';
}

/** The path of the fault in the body. */
function placeOf(details: unknown): string {
  const place = isJsonObject(details) ? details['path'] : undefined;
  return typeof place === 'string' ? ` (at ${place})` : '';
}
