import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { objectOf } from '../format/fields.ts';
import { deltaTable, foldKeys, foldList, foldObject, joinLists, joinText, lastPresent, leaveOut, reducerTable } from '../format/fold.ts';
import { cumulativeCounts } from '../format/cumulative.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';

/** Converts an event to a partial response, whose list elements carry the `index` of the element that they continue. */
type ToPiece = (event: JsonObject) => JsonObject;

const messageStart: ToPiece = ({ id, delta }) => {
  const filled = Object.entries(objectOf(objectOf(delta)['message'])).filter(([, value]) => !isUnfilled(value));
  return { id, message: Object.fromEntries(filled) };
};

const content: ToPiece = ({ index, delta }) => {
  const { message, logprobs } = objectOf(delta);
  const piece = { message: { content: elementAt(index, objectOf(message)['content']) } };
  return isJsonObject(logprobs) ? { ...piece, logprobs: [logprobs] } : piece;
};

const toolPlan: ToPiece = ({ delta }) => ({ message: { tool_plan: objectOf(objectOf(delta)['message'])['tool_plan'] } });

const toolCall: ToPiece = ({ index, delta }) => ({
  message: { tool_calls: elementAt(index, objectOf(objectOf(delta)['message'])['tool_calls']) },
});

const citation: ToPiece = ({ index, delta }) => ({
  message: { citations: elementAt(index, objectOf(objectOf(delta)['message'])['citations']) },
});

const endType = 'message-end';
const messageEnd: ToPiece = ({ delta }) => objectOf(delta);

const pieces: ReadonlyMap<unknown, ToPiece> = new Map([
  ['message-start', messageStart],
  ['content-start', content],
  ['content-delta', content],
  ['tool-plan-delta', toolPlan],
  ['tool-call-start', toolCall],
  ['tool-call-delta', toolCall],
  ['citation-start', citation],
  [endType, messageEnd],
]);

const contentReducers = deltaTable({ index: leaveOut, text: joinText, thinking: joinText });
const functionReducers = deltaTable({ name: lastPresent, arguments: joinText });
const toolCallReducers = deltaTable({ index: leaveOut, function: foldObject(functionReducers) });
const messageReducers = deltaTable({
  content: foldList(contentReducers),
  tool_plan: joinText,
  tool_calls: foldList(toolCallReducers),
  citations: foldList(reducerTable({ index: leaveOut })),
});
const chatReducers = reducerTable({
  message: foldObject(messageReducers),
  finish_reason: lastPresent,
  usage: cumulativeCounts,
  logprobs: joinLists,
  error: lastPresent,
});

/** Assembles a streamed chat into the non-streamed response. */
export function assembleChat(events: readonly ServerSentEvent[]): AssembledStream {
  const parts: JsonObject[] = [];
  let isComplete = false;
  for (const { data } of events) {
    const event = objectOf(parseJson(data));
    const { type, delta } = event;
    const toPiece = isJsonObject(delta) ? pieces.get(type) : undefined;
    if (toPiece === undefined) continue;
    parts.push(toPiece(event));
    isComplete = type === endType;
    if (isComplete) break;
  }
  if (parts.length === 0) return { body: null, isComplete, understood: false };
  return { body: foldKeys(parts, chatReducers), isComplete, understood: true };
}

/** The start event lists every member of a message, empty. */
function isUnfilled(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function elementAt(index: unknown, element: unknown): readonly JsonObject[] | undefined {
  return isJsonObject(element) ? [{ ...element, index }] : undefined;
}
