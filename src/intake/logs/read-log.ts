import { DirectiveReader, type Directives } from '../../gateway/directives/directives.ts';
import { GatelogError } from '../../model/errors.ts';
import { parseUuid, type RequestId } from '../../model/ids.ts';
import { jsonExcess, maxJsonDepth } from '../../model/json/bounds.ts';
import { mayLoseDigits, writeExactly } from '../../model/json/exact-numbers.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { LoggedCall, LoggedResponse } from '../../model/record/logged-call.ts';
import { isJsonObject, type JsonObject, parseExactly, parseJson, quoted } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import type { LogPath } from '../../model/vocabulary/log-paths.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { eventKindOf } from '../../providers/custom/events.ts';
import { invalidLog, LogFields, type UnknownField } from './log-fields.ts';
import { timingOf } from './log-timing.ts';
import { type LoggedBody, readResponseBody } from './log-response.ts';
import { targetOf } from './log-target.ts';

/** What is told beside the body. Plain data: it is sent to a thread. */
export interface ToldLog {
  readonly logPath: LogPath;
  /** `Svc-…` and `Helicone-…` of the log itself: they tag the call, and win over those of `meta`. */
  readonly headers: HeaderList;
  /** When it came, Unix milliseconds. */
  readonly now: number;
}

export interface ReadLog {
  readonly call: LoggedCall;
  /** A header came with Helicone's prefix: the response then has the alias names too. */
  readonly aliased: boolean;
  readonly warnings: readonly string[];
  /** Fields that a log does not have. */
  readonly unknown: readonly UnknownField[];
}

const bodyFields = ['providerRequest', 'providerResponse', 'timing', 'provider'];
const requestFields = ['url', 'json', 'meta'];
const responseFields = ['json', 'textBody', 'status', 'headers', 'cost'];
const timingFields = ['startTime', 'endTime', 'timeToFirstToken'];
const shape =
  '{"providerRequest": {"url", "json", "meta"}, "providerResponse": {"json" or "textBody", "status", "headers"}, "timing": {"startTime", "endTime"}}';

/**
 * Reads the body of a log: a call that did not pass through the gateway. @throws GatelogError `malformed_json`, or `invalid_body` with the
 * place of the fault.
 */
export function readLog(body: Buffer, { logPath, headers, now }: ToldLog): ReadLog {
  const text = body.toString('utf8');
  const log = new LogFields(parseBody(text), '', `a call: ${shape}`);
  const exact = exactBodies(text, log);
  const request = log.fields('providerRequest', 'an object with `url`, `json` and `meta`');
  const response = log.fields('providerResponse', 'an object with `json` or `textBody`, `status` and `headers`');
  const url = request.text('url', 'the address of the call, or "custom-model-nopath"', textLimits.addressBytes);
  const requestBody = request.required('json', 'the body of the request');
  const answer = readResponseBody(response, exact.response);
  const provider = log.optionalText('provider', textLimits.identifierBytes);
  const bodies = {
    request: requestBody,
    response: answer.parsed,
    responseText: answer.parsed === undefined ? answer.text.slice(0, sniffed) : '',
  };
  const target = targetOf({ url, provider, logPath, bodies });
  const directives = readDirectives(request, headers);
  const isEvent = eventKindOf(requestBody) !== undefined || eventKindOf(answer.parsed) !== undefined;
  const call: LoggedCall = {
    requestId: requestIdOf(directives),
    ...timingOf(log, now),
    method: 'POST',
    ...target,
    model: undefined,
    requestHeaders: { 'content-type': 'application/json' },
    tags: withCost(directives.tags, response, isEvent),
    requestBody: Buffer.from(writeExactly(exact.request)),
    response: responseOf(response, answer),
  };
  const unknown = [
    ...log.unknownFields(bodyFields),
    ...request.unknownFields(requestFields),
    ...response.unknownFields(responseFields),
    ...(log.isAbsent('timing') ? [] : log.fields('timing', 'an object').unknownFields(timingFields)),
  ];
  const warnings = [...directives.warnings, ...unnamedProvider(target.provider, isEvent, call.tags)];
  return { call, aliased: directives.aliased, warnings, unknown };
}

/** Characters of a response in which the first event of a stream is looked for. */
const sniffed = 1024;

/** The bodies of both sides with the digits of their numbers, to be written. @throws GatelogError for very many such numbers. */
function exactBodies(text: string, log: LogFields): { readonly request: unknown; readonly response: unknown } {
  const exact = mayLoseDigits(text) ? parseExactly(text, 'digits') : log.object;
  if (exact === undefined) throw new GatelogError('malformed_json', tooManyNumbers);
  const { providerRequest, providerResponse } = objectOf(exact);
  return { request: objectOf(providerRequest)['json'], response: objectOf(providerResponse)['json'] };
}

const tooManyNumbers =
  'The body has more numbers that JavaScript would write with other digits (1.0, 1E5) than are read; log what has fewer, or the response as `textBody`.';

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function parseBody(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed !== undefined) return parsed;
  const excess = jsonExcess(text);
  if (excess === 'depth') throw new GatelogError('malformed_json', `The body nests its values more than ${maxJsonDepth} levels deep.`);
  if (excess === 'cost') throw new GatelogError('malformed_json', 'The body has more values than are read; log what has fewer.');
  const found = text.trim() === '' ? 'The body is empty' : 'The body is not valid JSON';
  throw new GatelogError('malformed_json', `${found}; send ${shape}.`);
}

/** By the same code as for a call through the gateway; those of the log's own head come last, so that they win. */
function readDirectives(request: LogFields, headers: HeaderList): Directives {
  const reader = new DirectiveReader();
  for (const [name, text] of request.texts('meta')) reader.takes(name, name.toLowerCase(), asHeader(text));
  for (let index = 0; index + 1 < headers.length; index += 2) {
    reader.takes(headers[index] ?? '', (headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '');
  }
  const directives = reader.directives(undefined);
  if (directives.refusal !== undefined) throw invalidLog(request.pathOf('meta'), directives.refusal.message);
  return directives;
}

/** Header values hold the bytes of UTF-8. */
function asHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function requestIdOf({ requestId }: Directives): RequestId | undefined {
  if (requestId === undefined) return undefined;
  const parsed = parseUuid(requestId);
  if (parsed !== undefined) return parsed;
  throw invalidLog(
    'providerRequest.meta',
    `Svc-Request-Id must be a UUID, so that a repetition is known again; it is ${quoted(requestId)}.`,
  );
}

/** The sender's own figure. A step that is no model call costs nothing unless its sender says so. */
function withCost(tags: Tags, response: LogFields, isEvent: boolean): Tags {
  if (tags.cost !== undefined) return tags;
  if (response.isAbsent('cost')) return isEvent ? { ...tags, cost: '0' } : tags;
  const cost = response.number('cost', `an amount of US dollars from 0 to ${maxCost}`, 0, maxCost);
  return { ...tags, cost: cost.toFixed(costDigits) };
}

const maxCost = 1_000_000_000;
const costDigits = 12;

function responseOf(response: LogFields, { text, contentType }: LoggedBody): LoggedResponse {
  const headers = Object.fromEntries(response.texts('headers').filter(([name]) => !ofTheBytes.has(name.toLowerCase())));
  return { status: statusOf(response), headers: { ...headers, 'content-type': contentType }, body: Buffer.from(text) };
}

/** The body is a text here, whatever the provider sent. */
const ofTheBytes: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-length', 'transfer-encoding']);

const [minStatus, maxStatus] = [-999, 999];
/** Helicone's code of a call whose client left. */
const clientLeft = -3;

/** Helicone's own codes are below 0: all but one mean that there was no response. */
function statusOf(response: LogFields): number {
  const status = response.number('status', 'an HTTP status, such as 200', minStatus, maxStatus);
  if (!Number.isInteger(status)) throw response.fault('status', 'must be a whole number, such as 200');
  if (status >= 0) return status;
  return status === clientLeft ? 499 : 0;
}

function unnamedProvider(provider: string, isEvent: boolean, tags: Tags): readonly string[] {
  if (provider !== 'custom' || isEvent || tags.cost !== undefined) return [];
  return ['the call has no known provider, so that it has no price: name it in "provider", or send "cost" in providerResponse'];
}
