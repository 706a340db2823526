import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { laterCounts } from '../format/cumulative.ts';
import { countOf, listOf, objectOf } from '../format/fields.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';

/** Target of a delta: a member of its item, or of a part in one of the item's lists. */
type DeltaTarget =
  | { readonly key: string }
  | {
      readonly list: 'content' | 'summary';
      readonly index: 'content_index' | 'summary_index';
      readonly type: string;
      readonly key: string;
    };

/** Event type → target of its delta. */
const deltas: ReadonlyMap<unknown, DeltaTarget> = new Map<unknown, DeltaTarget>([
  ['response.output_text.delta', { list: 'content', index: 'content_index', type: 'output_text', key: 'text' }],
  ['response.refusal.delta', { list: 'content', index: 'content_index', type: 'refusal', key: 'refusal' }],
  ['response.reasoning_text.delta', { list: 'content', index: 'content_index', type: 'reasoning_text', key: 'text' }],
  ['response.reasoning_summary_text.delta', { list: 'summary', index: 'summary_index', type: 'summary_text', key: 'text' }],
  ['response.function_call_arguments.delta', { key: 'arguments' }],
  ['response.mcp_call_arguments.delta', { key: 'arguments' }],
  ['response.custom_tool_call_input.delta', { key: 'input' }],
  ['response.code_interpreter_call_code.delta', { key: 'code' }],
]);

const endings: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Pieces of one text of an item, in order. */
interface GrowingText {
  readonly target: DeltaTarget;
  readonly index: number;
  readonly pieces: string[];
}

/** One output item as received so far. */
interface Item {
  latest: JsonObject;
  /** The item was sent complete. */
  done: boolean;
  readonly texts: Map<string, GrowingText>;
}

interface Draft {
  response: JsonObject | undefined;
  readonly items: Map<number, Item>;
  error: JsonObject | undefined;
}

/** Assembles a streamed response: the end event has it whole; before that, from the items so far. */
export function assembleResponse(events: readonly ServerSentEvent[]): AssembledStream {
  const draft: Draft = { response: undefined, items: new Map(), error: undefined };
  let isComplete = false;
  for (const { data } of events) {
    const event = objectOf(parseJson(data));
    take(draft, event);
    isComplete = endings.has(event['type']) && isJsonObject(event['response']);
    if (isComplete) break;
  }
  const { response, items, error } = draft;
  if (response === undefined && items.size === 0 && error === undefined) return { body: null, isComplete, understood: false };
  const output = listOf(response?.['output']).length > 0 ? response?.['output'] : assembledItems(items);
  const known = response === undefined && items.size === 0 ? {} : { ...response, output };
  return { body: error === undefined ? known : { ...known, error }, isComplete, understood: true };
}

function take(draft: Draft, event: JsonObject): void {
  const { type, response, output_index: index, item } = event;
  if (type === 'error') draft.error = errorOf(event);
  if (typeof type !== 'string' || !type.startsWith('response.')) return;
  if (isJsonObject(response)) draft.response = withEarlierCounts(draft.response, response);
  if (typeof index !== 'number') return;
  if (isJsonObject(item)) replaceItem(draft.items, index, { latest: item, done: type === 'response.output_item.done', texts: new Map() });
  const target = deltas.get(type);
  if (target !== undefined) appendDelta(draft.items, { event, index, target });
}

function withEarlierCounts(before: JsonObject | undefined, response: JsonObject): JsonObject {
  const earlier = before?.['usage'];
  return isJsonObject(earlier) ? { ...response, usage: laterCounts(earlier, response['usage']) } : response;
}

/** The event either is the error or holds it in `error`. */
function errorOf(event: JsonObject): JsonObject | undefined {
  const { type: _type, error, ...own } = event;
  return isJsonObject(error) ? error : own;
}

function replaceItem(items: Map<number, Item>, index: number, item: Item): void {
  const before = items.get(index);
  items.set(index, before === undefined || item.done ? item : { ...item, texts: before.texts });
}

function appendDelta(
  items: Map<number, Item>,
  delta: { readonly event: JsonObject; readonly index: number; readonly target: DeltaTarget },
): void {
  const { event, index, target } = delta;
  const piece = event['delta'];
  if (typeof piece !== 'string') return;
  const item = items.get(index) ?? { latest: {}, done: false, texts: new Map<string, GrowingText>() };
  items.set(index, item);
  const partIndex = 'list' in target ? (countOf(event[target.index]) ?? 0) : 0;
  const key = `${String(event['type'])} ${partIndex}`;
  const text = item.texts.get(key);
  if (text === undefined) item.texts.set(key, { target, index: partIndex, pieces: [piece] });
  else text.pieces.push(piece);
}

function assembledItems(items: ReadonlyMap<number, Item>): JsonObject[] {
  return Array.from(items)
    .toSorted(([left], [right]) => left - right)
    .map(([, item]) => (item.done ? item.latest : assembledItem(item)));
}

/** An incomplete item: its start and its texts so far. */
function assembledItem({ latest, texts }: Item): JsonObject {
  const assembled: Record<string, unknown> = { ...latest };
  const lists = new Map<string, [index: number, part: JsonObject][]>();
  for (const { target, index, pieces } of texts.values()) {
    const text = pieces.join('');
    if ('list' in target) {
      const parts = lists.get(target.list) ?? [];
      parts.push([index, { type: target.type, [target.key]: text }]);
      lists.set(target.list, parts);
    } else {
      assembled[target.key] = text;
    }
  }
  for (const [list, parts] of lists) {
    assembled[list] = parts.toSorted(([left], [right]) => left - right).map(([, part]) => part);
  }
  return assembled;
}
