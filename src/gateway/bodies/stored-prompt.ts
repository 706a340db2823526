import { GatelogError } from '../../model/errors.ts';
import type { Tags } from '../../model/record/exchange.ts';
import { isJsonObject, parseJson, wellFormed } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { scannedInlineMaxBytes, topObject, withMembers } from './shape.ts';
import { bytesAt, type Span } from '../json/scan.ts';

/** A reference to a prompt stored at Helicone, and the body without it. */
export interface StoredPrompt {
  readonly body: Buffer;
  readonly promptId: string | undefined;
  /** Undefined if there are none that can be recorded. */
  readonly inputs: Readonly<Record<string, string>> | undefined;
}

/** For `svc-warning`. */
export const promptNotFilledIn =
  'prompt_id, inputs and environment were taken out of the body: stored prompts are not carried out, and the messages went as they are';

const wholeKey = Buffer.from('prompt_id"');
/** Searched first: `p` is so frequent that a search for the whole key takes eight times as long. */
const endOfKey = Buffer.from('_id"');
/** After this many candidates one search for the whole key is cheaper. */
const maxEnds = 64;

function namesPrompt(body: Buffer): boolean {
  let at = body.indexOf(endOfKey);
  for (let ends = 0; at !== -1 && ends < maxEnds; ends += 1) {
    if (body[at - 1] === wholeKey[wholeKey.length - endOfKey.length - 1]) return body.includes(wholeKey);
    at = body.indexOf(endOfKey, at + endOfKey.length);
  }
  return at !== -1 && body.includes(wholeKey, at);
}

const ofStoredPrompts: ReadonlySet<string> = new Set(['prompt_id', 'inputs', 'environment']);
const ofOwnText = ['messages', 'input', 'prompt'];

/**
 * Finds `prompt_id`, for which Helicone's gateway fills in a stored prompt.
 * @returns undefined for nearly every body, after one byte search.
 * @throws GatelogError `prompt_not_supported` for a body without a prompt of its own.
 */
export function findStoredPrompt(body: Buffer): StoredPrompt | undefined {
  // The members of a large body are known, so reading them is cheaper than a search.
  if (body.length <= scannedInlineMaxBytes && !namesPrompt(body)) return undefined;
  const { object } = topObject(body);
  if (object === undefined) return undefined;
  const spans = new Map(object.members.map(({ name, value }) => [bytesAt(body, name).toString(), value]));
  const promptSpan = spans.get('prompt_id');
  if (promptSpan === undefined) return undefined;
  if (!ofOwnText.some((name) => spans.has(name))) {
    throw new GatelogError(
      'prompt_not_supported',
      'The body names a prompt by prompt_id, and stored prompts are not carried out here; nothing was forwarded. Send the prompt itself as messages (or input).',
      { details: { path: 'prompt_id' } },
    );
  }
  const kept = object.members.filter(({ name }) => !ofStoredPrompts.has(bytesAt(body, name).toString()));
  return {
    body: withMembers(body, kept),
    promptId: textAt(body, promptSpan),
    inputs: inputsAt(body, spans.get('inputs')),
  };
}

function textAt(body: Buffer, span: Span): string | undefined {
  if (span.end - span.start > textLimits.identifierBytes) return undefined;
  const text = parseJson(bytesAt(body, span).toString());
  return typeof text === 'string' && text !== '' ? wellFormed(text) : undefined;
}

function inputsAt(body: Buffer, span: Span | undefined): StoredPrompt['inputs'] {
  if (span === undefined || span.end - span.start > textLimits.inputsBytes) return undefined;
  const inputs = parseJson(bytesAt(body, span).toString());
  if (!isJsonObject(inputs)) return undefined;
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      wellFormed(name),
      wellFormed(typeof value === 'string' ? value : JSON.stringify(value)),
    ]),
  );
}

/**
 * Adds the prompt to the tags; headers take precedence. An omitted body omits the inputs too, and one that must stay off the disk the
 * prompt's identifier as well.
 */
export function taggedWith(tags: Tags, { promptId, inputs }: StoredPrompt): Tags {
  const keeping = tags.requestBody ?? 'kept';
  return {
    ...(promptId === undefined || keeping === 'never' ? {} : { promptId }),
    ...(inputs === undefined || keeping !== 'kept' ? {} : { promptInputs: inputs }),
    ...tags,
  };
}
