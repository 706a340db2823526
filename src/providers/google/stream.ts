import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import { listOf, objectOf } from '../format/fields.ts';
import { foldKeys, foldList, foldObject, joinLists, lastPresent, reducerTable, runsOf } from '../format/fold.ts';
import type { Reducer } from '../format/fold.ts';
import { withoutZeros } from '../format/cumulative.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { elementsOf } from './json-list.ts';

/** A stream splits a text into one part per chunk; a non-streamed response has it in one part. Thoughts and answers stay separate. */
const joinParts: Reducer = (values) => runsOf(values.flatMap(listOf).filter(isJsonObject), continues).map(joinRun);

function continues(last: JsonObject, part: JsonObject): boolean {
  return typeof last['text'] === 'string' && typeof part['text'] === 'string' && last['thought'] === part['thought'];
}

function joinRun(run: readonly JsonObject[]): JsonObject {
  const joined = Object.fromEntries(run.flatMap((part) => Object.entries(part)));
  return run.length === 1 ? joined : { ...joined, text: run.map(({ text }) => text).join('') };
}

const contentReducers = reducerTable({ role: lastPresent, parts: joinParts });

const candidateReducers = reducerTable({
  index: lastPresent,
  content: foldObject(contentReducers),
  finishReason: lastPresent,
  logprobsResult: foldObject(reducerTable({ chosenCandidates: joinLists, topCandidates: joinLists })),
  finishMessage: lastPresent,
  safetyRatings: lastPresent,
  tokenCount: lastPresent,
  avgLogprobs: lastPresent,
  groundingMetadata: lastPresent,
  urlContextMetadata: lastPresent,
  citationMetadata: foldObject(reducerTable({ citationSources: joinLists, citations: joinLists })),
});

const foldCandidates = foldList(candidateReducers);

/** Google's JSON may omit numbers of value 0, so an absent index is 0. */
function withIndex(candidate: unknown): unknown {
  return isJsonObject(candidate) ? { index: 0, ...candidate } : candidate;
}

const chunkReducers = reducerTable({
  candidates: (values) => foldCandidates(values.map((list) => (Array.isArray(list) ? list.map(withIndex) : list))),
  // Each chunk repeats all counts so far. Counts may fall, and Google omits zeros, so a count missing from the last chunk must not be taken
  // from an earlier one; but a zero that is written replaces no count.
  usageMetadata: (values) => latestCounts(values.filter(countsAnything)) ?? lastPresent(values),
  modelVersion: lastPresent,
  responseId: lastPresent,
  createTime: lastPresent,
  promptFeedback: lastPresent,
  error: lastPresent,
});

function latestCounts(counts: readonly unknown[]): unknown {
  return counts.length < 2 ? counts[0] : counts.map(objectOf).reduce((before, later) => withoutZeros(before, later));
}

function countsAnything(counts: unknown): boolean {
  return Object.keys(objectOf(counts)).some((key) => key.endsWith('TokenCount'));
}

export function assembleEvents(events: readonly ServerSentEvent[]): AssembledStream {
  return assembleChunks(events.map(({ data }) => parseJson(data)));
}

/** Assembles a stream that is one JSON list, possibly truncated. */
export function assembleJsonList(text: string): AssembledStream {
  return assembleChunks(elementsOf(text));
}

function assembleChunks(values: readonly unknown[]): AssembledStream {
  const chunks = values.filter(isJsonObject).filter(isChunk);
  if (chunks.length === 0) return { body: null, isComplete: false, understood: false };
  return { body: foldKeys(chunks, chunkReducers), isComplete: chunks.some(endsResponse), understood: true };
}

function isChunk(chunk: JsonObject): boolean {
  return Array.isArray(chunk['candidates']) || ['usageMetadata', 'promptFeedback', 'error'].some((key) => isJsonObject(chunk[key]));
}

/** A stream has no end event; a finish reason marks its end. */
function endsResponse({ candidates, promptFeedback }: JsonObject): boolean {
  const reasons = listOf(candidates).map((candidate) => objectOf(candidate)['finishReason']);
  return [...reasons, objectOf(promptFeedback)['blockReason']].some((reason) => typeof reason === 'string' && reason !== '');
}
