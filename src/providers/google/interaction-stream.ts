import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { joinBase64 } from '../format/base64.ts';
import { laterCounts } from '../format/cumulative.ts';
import { listOf, objectOf, without } from '../format/fields.ts';
import { runsOf } from '../format/fold.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { StreamedJson } from '../format/streamed-json.ts';

/** The start and the deltas of a step. */
interface Step {
  readonly start: JsonObject;
  readonly deltas: JsonObject[];
}

/** The interaction as received so far. */
interface Draft {
  readonly interaction: Map<string, unknown>;
  readonly steps: Map<number, Step>;
  error: unknown;
  isComplete: boolean;
}

/** @returns false for an event without the shape of its kind. */
type EventReducer = (draft: Draft, event: JsonObject) => boolean;

const takeInteraction: EventReducer = ({ interaction: known }, { interaction }) => {
  if (!isJsonObject(interaction)) return false;
  for (const [key, value] of Object.entries(interaction)) known.set(key, key === 'usage' ? laterCounts(known.get(key), value) : value);
  return true;
};

const reducers: ReadonlyMap<unknown, EventReducer> = new Map<unknown, EventReducer>([
  ['interaction.created', takeInteraction],
  [
    'interaction.status_update',
    (draft, { status }) => {
      draft.interaction.set('status', status);
      return typeof status === 'string';
    },
  ],
  [
    'step.start',
    ({ steps }, { index, step }) => {
      if (typeof index !== 'number' || !isJsonObject(step)) return false;
      steps.set(index, { start: step, deltas: [] });
      return true;
    },
  ],
  [
    'step.delta',
    ({ steps }, { index, delta }) => {
      const step = typeof index === 'number' ? steps.get(index) : undefined;
      if (step === undefined || !isJsonObject(delta)) return false;
      step.deltas.push(delta);
      return true;
    },
  ],
  [
    'interaction.completed',
    (draft, event) => {
      draft.isComplete = takeInteraction(draft, event);
      return draft.isComplete;
    },
  ],
  [
    'error',
    (draft, { error }) => {
      draft.error = error;
      return isJsonObject(error);
    },
  ],
]);

/** Assembles a streamed interaction. The event that ends it has no steps. */
export function assembleInteraction(events: readonly ServerSentEvent[]): AssembledStream {
  const draft: Draft = { interaction: new Map(), steps: new Map(), error: undefined, isComplete: false };
  let understood = false;
  for (const { data } of events) {
    const event = objectOf(parseJson(data));
    const isUnderstood = reducers.get(event['event_type'])?.(draft, event) ?? false;
    understood ||= isUnderstood;
    if (draft.isComplete) break;
  }
  return understood
    ? { body: assembledInteraction(draft), isComplete: draft.isComplete, understood }
    : { body: null, isComplete: false, understood };
}

function assembledInteraction({ interaction, steps, error }: Draft): JsonObject {
  if (interaction.size === 0 && steps.size === 0) return { error };
  const known = Object.fromEntries(interaction);
  const json = new StreamedJson();
  const received = Array.from(steps)
    .toSorted(([left], [right]) => left - right)
    .map(([, step]) => assembledStep(step, json));
  const assembled = { ...known, steps: listOf(known['steps']).length > 0 ? known['steps'] : received };
  return error === undefined ? assembled : { ...assembled, error };
}

function assembledStep({ start, deltas }: Step, json: StreamedJson): JsonObject {
  const assembled = new Map(Object.entries(start));
  const argumentPieces: string[] = [];
  const summary: JsonObject[] = [];
  const content: JsonObject[] = [];
  for (const delta of deltas) {
    const { type } = delta;
    if (type === 'arguments_delta') argumentPieces.push(typeof delta['arguments'] === 'string' ? delta['arguments'] : '');
    else if (type === 'thought_summary') summary.push(objectOf(delta['content'] ?? without(delta, 'type')));
    else if (type === 'thought_signature') assembled.set('signature', delta['signature']);
    else if (type === 'text_annotation_delta') annotate(content, delta['annotations']);
    else if (assembled.get('type') === 'model_output') content.push(delta);
    else for (const [key, value] of Object.entries(without(delta, 'type'))) assembled.set(key, value);
  }
  const text = argumentPieces.join('');
  if (text !== '') assembled.set('arguments', json.read(text));
  if (summary.length > 0) assembled.set('summary', joined([...listOf(start['summary']).filter(isJsonObject), ...summary]));
  if (content.length > 0) assembled.set('content', joined([...listOf(start['content']).filter(isJsonObject), ...content]));
  return Object.fromEntries(assembled);
}

/** Annotations belong to the text before them; they become a piece with an empty text. */
function annotate(content: JsonObject[], annotations: unknown): void {
  if (typeof content.at(-1)?.['text'] === 'string') content.push({ type: 'text', text: '', annotations });
}

/** Merges the pieces of one text or one recording. */
function joined(pieces: readonly JsonObject[]): readonly JsonObject[] {
  return runsOf(pieces, continues).map((run) => {
    const assembled = Object.fromEntries(run.flatMap((piece) => Object.entries(piece)));
    if (run.length === 1) return assembled;
    const annotations = run.flatMap((piece) => listOf(piece['annotations']));
    const text = run.map((piece) => piece['text']);
    if (typeof text[0] !== 'string') return { ...assembled, data: joinBase64(run.map((piece) => piece['data'])) };
    return { ...assembled, text: text.join(''), ...(annotations.length > 0 ? { annotations } : {}) };
  });
}

function continues(last: JsonObject, piece: JsonObject): boolean {
  if (last['type'] !== piece['type']) return false;
  if (typeof last['text'] === 'string' && typeof piece['text'] === 'string') return true;
  return piece['type'] === 'audio' && typeof last['data'] === 'string' && typeof piece['data'] === 'string';
}
