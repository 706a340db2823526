import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { laterCounts } from '../format/cumulative.ts';
import { listOf, objectOf, without } from '../format/fields.ts';
import { deltaTable, foldKeys, foldObject, joinText, lastPresent, runsOf } from '../format/fold.ts';
import { joinBase64 } from '../format/base64.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { StreamedJson } from '../format/streamed-json.ts';

/** The response as received so far. */
interface Draft {
  role: unknown;
  /** The start and the deltas of each content block. */
  readonly blocks: Map<number, JsonObject[]>;
  /** Members beside the message. */
  readonly rest: Map<string, unknown>;
}

/** @returns false for an event without the shape of its kind. */
type EventReducer = (draft: Draft, event: JsonObject) => boolean;

const continueBlock: EventReducer = ({ blocks }, { contentBlockIndex: index, start, delta }) => {
  const piece = start ?? delta;
  if (typeof index !== 'number' || !isJsonObject(piece)) return false;
  const pieces = blocks.get(index);
  if (pieces === undefined) blocks.set(index, [piece]);
  else pieces.push(piece);
  return true;
};

/** Copies an event's members to the response if `key` has the expected shape. `p` is padding that hides the event's length. */
const copyMembers =
  (key: string, isOf: (value: unknown) => boolean): EventReducer =>
  ({ rest }, event) => {
    if (!isOf(event[key])) return false;
    for (const [name, value] of Object.entries(without(event, 'p'))) {
      rest.set(name, name === 'usage' ? laterCounts(rest.get(name), value) : value);
    }
    return true;
  };

const isText = (value: unknown): boolean => typeof value === 'string';
/** The stop reason and the usage. Amazon sends them in this order, possibly with other events in between. */
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
  ['messageStop', copyMembers('stopReason', isText)],
  ['metadata', copyMembers('usage', isJsonObject)],
  [
    'error',
    ({ rest }, { error }) => {
      if (isJsonObject(error)) rest.set('error', error);
      return isJsonObject(error);
    },
  ],
]);

/** Assembles a streamed conversation into the non-streamed response. */
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
  const isComplete = missing.size === 0;
  return understood ? { body: assembledResponse(draft), isComplete, understood } : { body: null, isComplete, understood };
}

function assembledResponse({ role, blocks, rest }: Draft): JsonObject {
  const response = Object.fromEntries(rest);
  if (role === undefined && blocks.size === 0) return response;
  const json = new StreamedJson();
  const content = Array.from(blocks)
    .toSorted(([left], [right]) => left - right)
    .map(([, pieces]) => assembledBlock(pieces, json));
  return { ...response, output: { message: { role: role ?? 'assistant', content } } };
}

const toolReducers = deltaTable({ toolUseId: lastPresent, name: lastPresent, input: joinText });
const reasoningReducers = deltaTable({ text: joinText, signature: joinText, redactedContent: joinBase64 });
const blockReducers = deltaTable({
  text: joinText,
  toolUse: foldObject(toolReducers),
  reasoningContent: foldObject(reasoningReducers),
  citation: (citations) => citations,
  toolResult: assembledToolResult,
});

/** The first value is an object; its content follows in lists, whose texts are pieces of one text. */
function assembledToolResult(values: readonly unknown[]): JsonObject {
  const contents = values.flatMap(listOf).filter(isJsonObject);
  const runs = runsOf(contents, (last, piece) => isText(last['text']) && isText(piece['text']));
  const content = runs.map((run) => (run.length > 1 ? { text: run.map(({ text }) => text).join('') } : run[0]));
  const members = values.filter(isJsonObject).flatMap((value) => Object.entries(value));
  return { ...Object.fromEntries(members), content };
}

/** Merges the pieces of a block into its non-streamed shape. */
function assembledBlock(pieces: readonly JsonObject[], json: StreamedJson): JsonObject {
  const { toolUse, reasoningContent, citation, text, ...rest } = foldKeys(pieces, blockReducers);
  if (isJsonObject(toolUse)) return { ...rest, toolUse: { ...toolUse, input: inputOf(toolUse['input'], json) } };
  if (isJsonObject(reasoningContent)) return { ...rest, reasoningContent: assembledReasoning(reasoningContent) };
  if (citation !== undefined) return { ...rest, citationsContent: { content: text === undefined ? [] : [{ text }], citations: citation } };
  return text === undefined ? rest : { ...rest, text };
}

/** A tool's input is streamed as JSON text. A truncated one stays text; an absent one is an empty object. */
function inputOf(text: unknown, json: StreamedJson): unknown {
  if (typeof text !== 'string') return text ?? {};
  return text === '' ? {} : json.read(text);
}

function assembledReasoning({ text, signature, ...redacted }: JsonObject): JsonObject {
  if (text === undefined && signature === undefined) return redacted;
  return { ...redacted, reasoningText: signature === undefined ? { text } : { text, signature } };
}
