import type { Exchange } from '../../model/record/exchange.ts';
import {
  clientLeftStatus,
  cutMessage,
  type Failure,
  type FailureKind,
  isFailedStatus,
  keptType,
  tellsError,
} from '../../model/record/failure.ts';
import { logMetadataOf } from '../../model/record/log-metadata.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import type { ReadResponse } from './bodies.ts';
import type { RecordTexts } from './record-texts.ts';

/** What a reply says of its error. */
interface ToldError {
  readonly type: string;
  readonly message: string;
}

const untold: ToldError = { type: '', message: '' };

/** Why a call failed; null: it did not. The message has any length, as a secret must be whole to be redacted. @param status of its record. */
export function failureOf(exchange: Exchange, status: number, response: ReadResponse): Failure | null {
  const reply = { response, told: toldError(response.parsed) ?? toldError(response.errorEvent) };
  return failureOfKind(kindOf(exchange, status, reply), reply);
}

/** What a record tells of a call of which nobody saw the end. */
export interface RecordedOutcome {
  readonly status: number;
  readonly cached: boolean;
}

/** As {@link failureOf}, of a call that is known by its record alone. */
export function failureOfRecorded({ status, cached }: RecordedOutcome, response: WhatWasSaid): Failure | null {
  const reply = { response, told: toldError(response.parsed) };
  const kind = status === clientLeftStatus ? kindOfLeft(reply) : kindOfReply(status, cached, reply);
  return failureOfKind(kind, reply);
}

/** As it is recorded: with the texts that redaction has left. */
export function recordedFailure(
  failure: Failure | null,
  { failureType, failureMessage }: Pick<RecordTexts, 'failureType' | 'failureMessage'>,
): Failure | null {
  return failure === null ? null : { kind: failure.kind, type: keptType(failureType), message: cutMessage(failureMessage) };
}

type WhatWasSaid = Pick<ReadResponse, 'fields' | 'parsed' | 'streamed'>;

interface Reply<Response extends WhatWasSaid = WhatWasSaid> {
  readonly response: Response;
  readonly told: ToldError | undefined;
}

function failureOfKind(kind: FailureKind | null, { response, told }: Reply): Failure | null {
  if (kind === null) return null;
  const { type, message } = told ?? (kind === 'status' || kind === 'no_reply' ? statedMessage(response.parsed) : untold);
  return { kind, type: keptType(type), message };
}

function kindOf(exchange: Exchange, status: number, reply: Reply<ReadResponse>): FailureKind | null {
  const { end, open } = exchange;
  if (logMetadataOf(open) === undefined) {
    if (end?.outcome === 'client_left') return kindOfLeft(reply);
    if (end?.outcome === 'refused') return 'refused';
    if (status !== 0 && brokeOff(exchange, reply)) return 'stream';
  }
  const cached = open.cachedFrom !== undefined;
  return kindOfReply(status, cached, reply) ?? (!cached && endsEarly(exchange, reply) ? 'stream' : null);
}

/** A client that leaves is no failure; one may leave because of an error that the stream told it. */
function kindOfLeft({ response: { streamed }, told }: Reply): FailureKind | null {
  return streamed && told !== undefined ? 'reply' : null;
}

function kindOfReply(status: number, cached: boolean, reply: Reply): FailureKind | null {
  if (isFailedStatus(status)) return status === 0 ? 'no_reply' : 'status';
  return !cached && isErrorReply(reply) ? 'reply' : null;
}

/** An exchange without an end lost its worker. */
function brokeOff({ end, responseHead }: Exchange, { response }: Reply<ReadResponse>): boolean {
  return end === undefined ? responseHead !== undefined && !response.isComplete : end.outcome === 'provider_broke';
}

/** An error beside an answer, such as that of a tool, is no failure of the call. */
function isErrorReply({ response: { fields, parsed, streamed }, told }: Reply): boolean {
  if (told === undefined) return false;
  return (
    streamed || isFailedBody(parsed) || isFailedChoice(parsed) || (fields.completionText === '' && fields.usage.completionTokens === null)
  );
}

function isFailedBody(parsed: unknown): boolean {
  return isJsonObject(parsed) && parsed['status'] === 'failed';
}

/** A stream that was understood, of which all is here, and that neither has its end nor says why it ends. */
function endsEarly(exchange: Exchange, { response: { fields, parsed, streamed, isComplete } }: Reply<ReadResponse>): boolean {
  const { end, open, responseBody } = exchange;
  if (!streamed || isComplete || parsed === undefined || fields.finishReason !== '') return false;
  if (logMetadataOf(open) !== undefined) return false;
  return end?.outcome === 'complete' && end.responseCut !== true && responseBody.length >= end.responseBytes;
}

/**
 * `error` of a body, or of the events of a stream; of the first item where the body is a list. A body or a choice may say that it failed
 * without one.
 */
function toldError(parsed: unknown): ToldError | undefined {
  const root: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(root)) return undefined;
  if (tellsError(root['error'])) return errorOf(root);
  const choice = failedChoice(root);
  if (choice !== undefined) return tellsError(choice['error']) ? errorOf(choice) : untold;
  return isFailedBody(root) && answers.has(root['object']) ? untold : undefined;
}

/** Objects whose `status` is that of an answer; that of a batch or a file says nothing of the call that reads it. */
const answers: ReadonlySet<unknown> = new Set(['response', 'interaction']);
const failedReasons: ReadonlySet<unknown> = new Set(wireProfile.failedFinishReasons);

/** A body, or the first of its choices, that ended because the provider failed. */
function failedChoice(root: JsonObject): JsonObject | undefined {
  const choices: readonly unknown[] = Array.isArray(root['choices']) ? root['choices'] : [];
  const places = [root, ...choices];
  return places.find(
    (place): place is JsonObject => isJsonObject(place) && (failedReasons.has(place['finish_reason']) || tellsError(place['error'])),
  );
}

function isFailedChoice(parsed: unknown): boolean {
  return isJsonObject(parsed) && failedChoice(parsed) !== undefined && !tellsError(parsed['error']);
}

/** Of an object with an `error` that says something. */
function errorOf(root: JsonObject): ToldError {
  const { error } = root;
  if (typeof error === 'string') return { type: firstText(root, ['error_type', 'code']), message: error };
  if (!isJsonObject(error)) return statedMessage(root);
  const { type, message } = { type: firstText(error, ['type', 'status', 'code']), message: firstText(error, ['message', 'msg']) };
  // Ours name their kind in the code.
  return { type: type === 'gatelog_error' ? firstText(error, ['code']) : type, message };
}

/** Of an error that has no member of its own in the body. */
function statedMessage(parsed: unknown): ToldError {
  if (!isJsonObject(parsed)) return untold;
  return { type: firstText(parsed, ['__type', 'type', 'code']), message: firstText(parsed, ['message', 'detail', 'Message', 'msg']) };
}

/** The first member that is a text or a number. */
function firstText(object: JsonObject, names: readonly string[]): string {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return '';
}
