import { isEventStream } from '../../model/record/media-type.ts';
import { bytesAt, objectAt, skipWhitespace } from '../json/scan.ts';

/**
 * Whether a whole reply is one to give again: it tells of no failure, and a stream has come to its own end. Some providers answer 200 and tell of
 * their failure in the body, or in the middle of a stream.
 *
 * It looks for words and at the top-level members of objects, and parses nothing. TRICKY: within a JSON string quotes are escaped, so `"error"` with
 * its quotes is a name or a whole value, and never a part of a text.
 * @param body decoded.
 */
export function isCacheable(body: Buffer, contentType: string): boolean {
  if (isEventStream(contentType)) return isWholeStream(body.toString('latin1'));
  const type = contentType.toLowerCase();
  if (type.includes('amazon.eventstream')) return !amazonFailures.some((header) => body.includes(header));
  if (/ndjson|jsonl|stream\+json/.test(type)) return isWholeSeries(body.toString('latin1'));
  if (!failureWords.some((word) => body.includes(word))) return true;
  return !reportsError(body) && !failedChoice.test(body.toString('latin1')) && !failedElement.test(body.toString('latin1'));
}

/** The last event of OpenAI's, Anthropic's and Cohere's streams; Gemini's have none and say why they finished. */
const streamEnd =
  /^data: ?\[DONE\]|"type"\s*:\s*"(?:message_stop|message-end|response\.(?:completed|incomplete)|\w+\.completed|(?:transcript\.text|transcription|speech\.audio)\.done)"|"finishReason"\s*:\s*"/m;
const failureEvent = /^event: ?(?:error|response\.failed)\s*$/m;
/** Data of events in which a word of failure stands; whether it is one depends on where. */
const suspectData = /^data: ?(.*"(?:error|response\.failed)".*)$/gm;
const suspectLine = /^(.*"error".*)$/gm;
/** A choice that OpenRouter's provider did not finish, or an answer that Cohere did not. */
const failedChoice = /"finish_reason"\s*:\s*"(?:error|ERROR|TIMEOUT)"/;
/** Without one of these a body tells of no failure. */
const failureWords = ['"error"', '"ERROR"', '"TIMEOUT"'] as const;
/** Gemini's streams that are no events are one array. */
const failedElement = /[[,]\s*\{\s*"error"\s*:\s*\{/;
/** Headers of what Bedrock sends in the place of an event. */
const amazonFailures = [':exception-type', ':error-code'] as const;

function isWholeStream(text: string): boolean {
  if (!streamEnd.test(text) || failureEvent.test(text) || failedChoice.test(text)) return false;
  return !anyTellsFailure(text, suspectData);
}

/** Objects one a line; Ollama's say of each whether it is the last. */
function isWholeSeries(text: string): boolean {
  if (/"done"\s*:\s*false/.test(text) && !/"done"\s*:\s*true/.test(text)) return false;
  return !anyTellsFailure(text, suspectLine);
}

function anyTellsFailure(text: string, suspects: RegExp): boolean {
  for (const [, json = ''] of text.matchAll(suspects)) if (reportsError(Buffer.from(json, 'latin1'))) return true;
  return false;
}

/** True for an object with an `error` that is not null, or of a type that is one; also for one that breaks off. */
function reportsError(json: Buffer): boolean {
  const start = skipWhitespace(json, 0);
  const object = objectAt(json, start);
  if (object === undefined) return json[start] === 0x7b;
  return object.members.some(({ name, value }) => {
    const text = bytesAt(json, value);
    switch (bytesAt(json, name).toString('latin1')) {
      case 'error':
        return !text.equals(nothing);
      case 'type':
        return failureTypes.has(text.subarray(0, 64).toString('latin1'));
      default:
        return false;
    }
  });
}

const nothing = Buffer.from('null');
const failureTypes: ReadonlySet<string> = new Set(['"error"', '"response.failed"']);
