import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { listOf, objectOf, without } from '../facts.ts';
import { deltaTable, foldKeys, foldObject, joinText, lastPresent, runsOf } from '../fold.ts';
import { joinBase64 } from '../base64.ts';
import type { AssembledStream } from '../provider.ts';
import type { ServerSentEvent } from '../sse.ts';

/** The answer as far as it came. */
interface Draft {
  role: unknown;
  /** How each block began, and what continued it. */
  readonly blocks: Map<number, JsonObject[]>;
  /** What stands beside the message. */
  readonly rest: Map<string, unknown>;
}

/** @returns false for an event that does not have the shape of its kind. */
type EventReducer = (draft: Draft, event: JsonObject) => boolean;

const continueBlock: EventReducer = ({ blocks }, { contentBlockIndex: index, start, delta }) => {
  const piece = start ?? delta;
  if (typeof index !== 'number' || !isJsonObject(piece)) return false;
  const pieces = blocks.get(index);
  if (pieces === undefined) blocks.set(index, [piece]);
  else pieces.push(piece);
  return true;
};

/** The key without which an event is none of its kind; its others are the answer's own. `p` only pads an event, so that its length tells nothing. */
const standsBeside =
  (key: string, isOf: (value: unknown) => boolean): EventReducer =>
  ({ rest }, event) => {
    if (!isOf(event[key])) return false;
    for (const [name, value] of Object.entries(without(event, 'p'))) rest.set(name, value);
    return true;
  };

const isText = (value: unknown): boolean => typeof value === 'string';
/** One says why the answer stopped, the other what it took. Amazon sends them in this order, what stands in between need not. */
const lastEvents: ReadonlySet<string> = new Set(['messageStop', 'metadata']);

const reducers: ReadonlyMap<string, EventReducer> = new Map<string, EventReducer>([
  [
    'messageStart',
    (draft, { role }) => {
      if (!isText(role)) return false;
      draft.role = role;
      return true;
    },
  ],
  ['contentBlockStart', continueBlock],
  ['contentBlockDelta', continueBlock],
  ['messageStop', standsBeside('stopReason', isText)],
  ['metadata', standsBeside('usage', isJsonObject)],
  [
    'error',
    ({ rest }, { error }) => {
      if (isJsonObject(error)) rest.set('error', error);
      return isJsonObject(error);
    },
  ],
]);

/** Puts the events of a streamed conversation together into the answer without streaming. */
export function assembleConversation(events: readonly ServerSentEvent[]): AssembledStream {
  const draft: Draft = { role: undefined, blocks: new Map(), rest: new Map() };
  let understood = false;
  const missing = new Set(lastEvents);
  for (const { event, data } of events) {
    const isUnderstood = reducers.get(event)?.(draft, objectOf(parseJson(data))) ?? false;
    understood ||= isUnderstood;
    if (isUnderstood) missing.delete(event);
    if (missing.size === 0) break;
  }
  const whole = missing.size === 0;
  return understood ? { body: wholeAnswer(draft), whole, understood } : { body: null, whole, understood };
}

function wholeAnswer({ role, blocks, rest }: Draft): JsonObject {
  const answer = Object.fromEntries(rest);
  if (role === undefined && blocks.size === 0) return answer;
  const content = Array.from(blocks)
    .toSorted(([left], [right]) => left - right)
    .map(([, pieces]) => wholeBlock(pieces));
  return { ...answer, output: { message: { role: role ?? 'assistant', content } } };
}

const toolReducers = deltaTable({ toolUseId: lastPresent, name: lastPresent, input: joinText });
const reasoningReducers = deltaTable({ text: joinText, signature: joinText, redactedContent: joinBase64 });
const blockReducers = deltaTable({
  text: joinText,
  toolUse: foldObject(toolReducers),
  reasoningContent: foldObject(reasoningReducers),
  citation: (citations) => citations,
  toolResult: wholeToolResult,
});

/** It begins as an object; its content follows in lists, whose texts are pieces of one. */
function wholeToolResult(values: readonly unknown[]): JsonObject {
  const contents = values.flatMap(listOf).filter(isJsonObject);
  const runs = runsOf(contents, (last, piece) => isText(last['text']) && isText(piece['text']));
  const content = runs.map((run) => (run.length > 1 ? { text: run.map(({ text }) => text).join('') } : run[0]));
  const begun = values.filter(isJsonObject).flatMap((value) => Object.entries(value));
  return { ...Object.fromEntries(begun), content };
}

/** The pieces of a block as one, in the shape that it has without streaming. */
function wholeBlock(pieces: readonly JsonObject[]): JsonObject {
  const { toolUse, reasoningContent, citation, text, ...rest } = foldKeys(pieces, blockReducers);
  if (isJsonObject(toolUse)) return { ...rest, toolUse: { ...toolUse, input: inputOf(toolUse['input']) } };
  if (isJsonObject(reasoningContent)) return { ...rest, reasoningContent: wholeReasoning(reasoningContent) };
  if (citation !== undefined) return { ...rest, citationsContent: { content: text === undefined ? [] : [{ text }], citations: citation } };
  return text === undefined ? rest : { ...rest, text };
}

/** A tool's input is streamed as JSON text; one that broke off stays text, and a tool without any has an empty one. */
function inputOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {};
  return text === '' ? {} : (parseJson(text) ?? text);
}

function wholeReasoning({ text, signature, ...redacted }: JsonObject): JsonObject {
  if (text === undefined && signature === undefined) return redacted;
  return { ...redacted, reasoningText: signature === undefined ? { text } : { text, signature } };
}
