import { isSameModel, modelName } from '../../model/record/model-names.ts';
import { copiedStart } from '../../model/text.ts';
import type { Operation } from '../dialects/dialect.ts';
import { isStepOfModel } from '../dialects/mastra.ts';
import { textField } from '../attributes/span-call.ts';
import { type Span, spanKinds } from '../received/span.ts';

export const modelOperations: ReadonlySet<Operation> = new Set([
  'chat',
  'completion',
  'embeddings',
  'rerank',
  'image',
  'speech',
  'transcription',
]);

/** A span with what it tells of. */
export interface ToldSpan {
  readonly span: Span;
  readonly operation: Operation | undefined;
}

/**
 * Spans whose call another span tells as well: an instrumentation of a framework around one of a client. Only the inner one is a request,
 * as it is the call. @param innerModels of the calls right below the span, whenever they came.
 */
export function isOuter({ span, operation }: ToldSpan, innerModels: readonly string[]): boolean {
  if (span.kind === spanKinds.producer || !isOfModel(operation)) return false;
  const model = modelOf(span);
  return innerModels.some((inner) => model === '' || inner === '' || isSameModel(inner, model));
}

export function isOfModel(operation: Operation | undefined): boolean {
  return operation !== undefined && modelOperations.has(operation);
}

/** Characters of a model's name that are compared and remembered. */
const maxModelCharacters = 256;

/** In lower case, without the maker's name before a slash. */
export function modelOf({ attributes }: Span): string {
  return copiedStart(modelName(textField(attributes, 'requestModel') || textField(attributes, 'responseModel')), maxModelCharacters);
}

/** Spans of one call that are looked at. */
const maxOuters = 4;

/** What is known of the calls right below a span, whenever they came. */
export interface KnownBelow {
  readonly models: (spanId: string) => readonly string[];
  readonly isOne: (spanId: string) => boolean;
}

/**
 * Finds the spans around a call that tell of the same one, the nearest first: what a client's own span leaves out, such as what was said,
 * the instrumentation around it often tells. One that holds several calls, even if they came earlier, tells of none in particular: its
 * tokens and cost are those of all.
 */
export function outersOf(told: readonly ToldSpan[], below: KnownBelow): (span: Span) => readonly Span[] {
  const byId = new Map(told.map((each) => [each.span.spanId, each]));
  return (span) => {
    const outers: Span[] = [];
    for (let next = byId.get(span.parentSpanId); next !== undefined && outers.length < maxOuters; next = byId.get(next.span.parentSpanId)) {
      const { spanId } = next.span;
      if (!below.isOne(spanId) || !(isStepOfModel(next.span) || isOuter(next, below.models(spanId)))) break;
      outers.push(next.span);
    }
    return outers;
  };
}
