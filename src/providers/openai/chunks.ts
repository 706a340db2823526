import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { foldKeys, foldList, foldObject, joinLists, joinText, lastPresent, leaveOut, reducerTable } from '../fold.ts';
import type { Reducer } from '../fold.ts';
import type { AssembledStream } from '../provider.ts';
import type { ServerSentEvent } from '../sse.ts';
import { joinBase64 } from '../base64.ts';

const terminator = '[DONE]';

/** Texts are joined. Models that think aloud send lists of content parts in between: then all of it becomes a list of parts. */
const joinContent: Reducer = (values) => {
  if (!values.some((value) => Array.isArray(value))) return joinText(values);
  return values.flatMap((value): readonly unknown[] => {
    if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
    return Array.isArray(value) ? value : [];
  });
};

const functionReducers = reducerTable({ name: lastPresent, arguments: joinText });

const toolCallReducers = reducerTable({
  index: leaveOut,
  id: lastPresent,
  type: lastPresent,
  function: foldObject(functionReducers),
  custom: foldObject(reducerTable({ name: lastPresent, input: joinText })),
});

const audioReducers = reducerTable({
  id: lastPresent,
  data: joinBase64,
  transcript: joinText,
  expires_at: lastPresent,
});

const deltaReducers = reducerTable({
  role: lastPresent,
  content: joinContent,
  refusal: joinText,
  reasoning_content: joinText,
  tool_calls: foldList(toolCallReducers),
  function_call: foldObject(functionReducers),
  audio: foldObject(audioReducers),
  annotations: joinLists,
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
});

const foldChoices = foldList(choiceReducers);

const chunkReducers = reducerTable({
  id: lastPresent,
  object: (values) => wholeObjectName(lastPresent(values)),
  created: lastPresent,
  model: lastPresent,
  system_fingerprint: lastPresent,
  service_tier: lastPresent,
  choices: (values) => [foldChoices(values)].flat().map((choice) => (isJsonObject(choice) ? wholeChoice(choice) : choice)),
  usage: lastPresent,
  error: lastPresent,
  obfuscation: leaveOut,
});

/** Puts the chunks of a chat or text completion together into the shape of the answer without streaming. */
export function assembleChunks(events: readonly ServerSentEvent[]): AssembledStream {
  const end = events.findIndex((event) => event.data.trim() === terminator);
  const whole = end >= 0;
  const chunks = (whole ? events.slice(0, end) : events).map(readChunk).filter((chunk) => chunk !== undefined);
  if (chunks.length === 0) return { body: null, whole, understood: false };
  return { body: foldKeys(chunks, chunkReducers), whole, understood: true };
}

function readChunk(event: ServerSentEvent): JsonObject | undefined {
  const value = parseJson(event.data);
  const error = isJsonObject(value) ? value['error'] : undefined;
  if (event.event === 'error' && (error === undefined || error === null)) return { error: value ?? { message: event.data } };
  if (!isJsonObject(value)) return undefined;
  const isChunk = Array.isArray(value['choices']) || value['object'] === 'chat.completion.chunk';
  return isChunk || isJsonObject(error) || typeof error === 'string' ? value : undefined;
}

function wholeObjectName(name: unknown): unknown {
  return name === 'chat.completion.chunk' ? 'chat.completion' : name;
}

/** The pieces of the message are called `delta` in a stream and `message` outside of one, where role and content are never missing. */
function wholeChoice(choice: JsonObject): JsonObject {
  const { delta, ...rest } = choice;
  return isJsonObject(delta) ? { ...rest, message: { role: 'assistant', content: null, ...delta } } : rest;
}
