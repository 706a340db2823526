import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { listOf } from '../format/fields.ts';
import {
  deltaTable,
  foldKeys,
  foldList,
  foldObject,
  joinLists,
  joinText,
  lastPresent,
  leaveOut,
  reducerTable,
  runsOf,
} from '../format/fold.ts';
import type { Reducer, ReducerTable } from '../format/fold.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { joinBase64 } from '../format/base64.ts';
import { cumulativeCounts } from '../format/cumulative.ts';
import { foldToolCalls } from './tool-calls.ts';

const terminator = '[DONE]';

/** Part type → table for merging its pieces. */
type PartTables = ReadonlyMap<unknown, ReducerTable>;

/**
 * Joins texts. Reasoning models stream lists of parts in between; then the result is a list of parts in which neighbours of one type are
 * merged, as in a non-streamed response.
 */
function joinParts(tables: PartTables): Reducer {
  return (values) => {
    if (!values.some((value) => Array.isArray(value))) return joinText(values);
    const pieces = values.flatMap((value) => (typeof value === 'string' ? [value] : listOf(value))).filter((piece) => piece !== '');
    const parts = pieces.map((piece) => (typeof piece === 'string' ? { type: 'text', text: piece } : piece)).filter(isJsonObject);
    const runs = runsOf(parts, (last, { type }) => last['type'] === type && tables.has(type));
    return runs.map((run) => {
      const table = tables.get(run[0]?.['type']);
      return run.length === 1 || table === undefined ? run[0] : foldKeys(run, table);
    });
  };
}

const textTable = reducerTable({ text: joinText });
/** Mistral nests the parts of its thoughts in a part. */
const thoughtTable = reducerTable({ thinking: joinParts(new Map([['text', textTable]])) });
const joinContent = joinParts(
  new Map([
    ['text', textTable],
    ['thinking', thoughtTable],
  ]),
);

const functionReducers = deltaTable({ name: lastPresent, arguments: joinText });

const toolCallReducers = deltaTable({
  index: leaveOut,
  id: lastPresent,
  type: lastPresent,
  function: foldObject(functionReducers),
  custom: foldObject(deltaTable({ name: lastPresent, input: joinText })),
});

const audioReducers = deltaTable({
  id: lastPresent,
  data: joinBase64,
  transcript: joinText,
  expires_at: lastPresent,
});

const deltaReducers = deltaTable({
  role: lastPresent,
  content: joinContent,
  refusal: joinText,
  reasoning_content: joinText,
  tool_calls: foldToolCalls(toolCallReducers),
  function_call: foldObject(functionReducers),
  audio: foldObject(audioReducers),
  annotations: joinLists,
  usage: cumulativeCounts,
});

/** Parallel lists: `content` and `refusal` in chat, `tokens`, `token_logprobs`, `top_logprobs` and `text_offset` in text completions. */
const logprobReducers = reducerTable({
  content: joinLists,
  refusal: joinLists,
  tokens: joinLists,
  token_logprobs: joinLists,
  top_logprobs: joinLists,
  text_offset: joinLists,
});

const choiceReducers = reducerTable({
  index: lastPresent,
  delta: foldObject(deltaReducers),
  message: lastPresent,
  text: joinText,
  finish_reason: lastPresent,
  stop_reason: lastPresent,
  native_finish_reason: lastPresent,
  logprobs: foldObject(logprobReducers),
  usage: cumulativeCounts,
});

const foldChoices = foldList(choiceReducers);

const chunkReducers = reducerTable({
  id: lastPresent,
  object: (values) => objectNameOfResponse(lastPresent(values)),
  created: lastPresent,
  model: lastPresent,
  system_fingerprint: lastPresent,
  service_tier: lastPresent,
  choices: (values) => [foldChoices(values)].flat().map((choice) => (isJsonObject(choice) ? assembledChoice(choice) : choice)),
  usage: cumulativeCounts,
  x_groq: foldObject(reducerTable({ usage: cumulativeCounts })),
  error: lastPresent,
  obfuscation: leaveOut,
});

/** Assembles the chunks of a chat or text completion into the non-streamed response. */
export function assembleChunks(events: readonly ServerSentEvent[]): AssembledStream {
  const end = events.findIndex((event) => event.data.trim() === terminator);
  const isComplete = end >= 0;
  const chunks = (isComplete ? events.slice(0, end) : events).map(readChunk).filter((chunk) => chunk !== undefined);
  if (chunks.length === 0) return { body: null, isComplete, understood: false };
  return { body: foldKeys(chunks, chunkReducers), isComplete, understood: true };
}

function readChunk(event: ServerSentEvent): JsonObject | undefined {
  const value = parseJson(event.data);
  const error = isJsonObject(value) ? value['error'] : undefined;
  if (event.event === 'error' && (error === undefined || error === null)) return { error: value ?? { message: event.data } };
  if (!isJsonObject(value)) return undefined;
  const isChunk = Array.isArray(value['choices']) || value['object'] === 'chat.completion.chunk';
  return isChunk || isJsonObject(error) || typeof error === 'string' ? value : undefined;
}

function objectNameOfResponse(name: unknown): unknown {
  return name === 'chat.completion.chunk' ? 'chat.completion' : name;
}

/** A stream calls the message `delta`. Outside of a stream it is `message`, always with role and content. */
function assembledChoice(choice: JsonObject): JsonObject {
  const { delta, ...rest } = choice;
  return isJsonObject(delta) ? { ...rest, message: { role: 'assistant', content: null, ...delta } } : rest;
}
