import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { laterCounts } from '../format/cumulative.ts';
import { listOf, objectOf, without } from '../format/fields.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { StreamedJson } from '../format/streamed-json.ts';

/** A content block as received so far: its start, and the pieces of its texts and lists. */
interface Block {
  readonly start: JsonObject;
  readonly texts: Map<string, string[]>;
  readonly lists: Map<string, unknown[]>;
}

/** The message as received so far. */
interface Draft {
  message: JsonObject | undefined;
  readonly blocks: Map<number, Block>;
  /** Members set by the end of the message. TRICKY: maps, because copying an object per event is quadratic for a hostile stream. */
  readonly ending: Map<string, unknown>;
  readonly usage: Map<string, unknown>;
  outputCounted: boolean;
  /** Another model continues the message: later counts are its own. */
  isTakenOver: boolean;
  error: unknown;
  understood: boolean;
}

type EventReducer = (draft: Draft, event: JsonObject) => void;

/** Kind of delta → its text member, and the block's member that it continues. */
const textDeltas: ReadonlyMap<unknown, readonly [from: string, into: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['signature_delta', ['signature', 'signature']],
  ['input_json_delta', ['partial_json', 'input']],
  ['compaction_delta', ['content', 'content']],
]);

const reducers: ReadonlyMap<unknown, EventReducer> = new Map<unknown, EventReducer>([
  [
    'message_start',
    (draft, event) => {
      if (!isJsonObject(event['message'])) return;
      draft.message = event['message'];
      addTo(draft.usage, objectOf(draft.message['usage']));
      // A message that only continues after a tool call made by a program has its whole content and its stop reason here.
      for (const [index, start] of listOf(draft.message['content']).entries()) {
        if (isJsonObject(start)) draft.blocks.set(index, { start, texts: new Map(), lists: new Map() });
      }
      draft.outputCounted ||= typeof draft.message['stop_reason'] === 'string';
      draft.understood = true;
    },
  ],
  [
    'content_block_start',
    (draft, { index, content_block: start }) => {
      if (typeof index !== 'number' || !isJsonObject(start)) return;
      draft.blocks.set(index, { start, texts: new Map(), lists: new Map() });
      draft.understood = true;
      if (start['type'] === 'fallback') takeOver(draft, objectOf(start['to'])['model']);
    },
  ],
  [
    'content_block_delta',
    (draft, { index, delta }) => {
      const block = typeof index === 'number' ? draft.blocks.get(index) : undefined;
      if (block !== undefined) continueBlock(block, objectOf(delta));
    },
  ],
  [
    'message_delta',
    (draft, { delta, usage, ...rest }) => {
      addTo(draft.ending, without(rest, 'type'));
      addTo(draft.ending, objectOf(delta));
      const reported = Object.entries(objectOf(usage)).filter(([, value]) => value !== null);
      // Counts that are absent, null or lower here keep the value of earlier events.
      for (const [key, value] of reported) draft.usage.set(key, draft.isTakenOver ? value : laterCounts(draft.usage.get(key), value));
      draft.outputCounted ||= reported.some(([key]) => key === 'output_tokens');
      draft.understood = true;
    },
  ],
  [
    'error',
    (draft, { error }) => {
      if (!isJsonObject(error)) return;
      draft.error = error;
      draft.understood = true;
    },
  ],
]);

export function assembleMessage(events: readonly ServerSentEvent[]): AssembledStream {
  const draft: Draft = {
    message: undefined,
    blocks: new Map(),
    ending: new Map(),
    usage: new Map(),
    outputCounted: false,
    isTakenOver: false,
    error: undefined,
    understood: false,
  };
  let isComplete = false;
  for (const { data } of events) {
    const event = objectOf(parseJson(data));
    isComplete = event['type'] === 'message_stop';
    if (isComplete) break;
    reducers.get(event['type'])?.(draft, event);
  }
  if (!draft.understood) return { body: null, isComplete, understood: false };
  return { body: assembledMessage(draft), isComplete, understood: true };
}

/** Another model continues the message. Its usage does not repeat the first model's split of cache writes. */
function takeOver(draft: Draft, model: unknown): void {
  if (typeof model !== 'string' || model === '') return;
  draft.ending.set('model', model);
  draft.usage.delete('cache_creation');
  draft.isTakenOver = true;
}

function continueBlock(block: Block, delta: JsonObject): void {
  const target = textDeltas.get(delta['type']);
  if (target !== undefined) {
    const piece = delta[target[0]];
    if (typeof piece === 'string') append(block.texts, target[1], piece);
    // The encrypted content of a compaction comes in one piece, with its text or after it.
    const { encrypted_content: encrypted } = delta;
    if (typeof encrypted === 'string') block.texts.set('encrypted_content', [encrypted]);
  } else if (delta['type'] === 'citations_delta') {
    append(block.lists, 'citations', delta['citation']);
  }
}

function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function addTo(map: Map<string, unknown>, object: JsonObject): void {
  for (const [key, value] of Object.entries(object)) map.set(key, value);
}

function assembledMessage({ message, blocks, ending, usage, outputCounted, error }: Draft): JsonObject {
  if (message === undefined && blocks.size === 0 && error !== undefined) return { type: 'error', error };
  const json = new StreamedJson();
  const content = Array.from(blocks)
    .toSorted(([left], [right]) => left - right)
    .map(([, block]) => assembledBlock(block, json));
  // The start event counts only the first few output tokens. Without the end event the output count is unknown.
  const counts = Object.fromEntries(usage);
  const assembled = {
    ...message,
    content,
    ...Object.fromEntries(ending),
    usage: outputCounted ? counts : without(counts, 'output_tokens'),
  };
  return error === undefined ? assembled : { ...assembled, error };
}

function assembledBlock({ start, texts, lists }: Block, json: StreamedJson): JsonObject {
  const block: Record<string, unknown> = { ...start };
  for (const [key, pieces] of texts) {
    const text = pieces.join('');
    if (key === 'input') block[key] = text === '' ? start[key] : json.read(text);
    else block[key] = typeof start[key] === 'string' ? `${start[key]}${text}` : text;
  }
  for (const [key, values] of lists) block[key] = [...listOf(start[key]), ...values];
  return block;
}
