import { GatelogError } from '../../model/errors.ts';
import { isJsonObject, parseJson, wellFormed } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import type { AuthenticatedCall } from '../call.ts';
import { scannedInlineMaxBytes, topObject, withMembers } from './shape.ts';
import { bytesAt, type Span } from '../json/scan.ts';

/** What a body says of a prompt that is stored at Helicone, and the body without it. */
export interface StoredPrompt {
  readonly body: Buffer;
  readonly promptId: string | undefined;
  /** Undefined: there are none that a record could have. */
  readonly inputs: Readonly<Record<string, string>> | undefined;
}

/** For `svc-warning`. */
export const promptNotFilledIn =
  'prompt_id, inputs and environment were taken out of the body: stored prompts are not carried out, and the messages went as they are';

const wholeKey = Buffer.from('prompt_id"');
/** Without its beginning: the letter p is so frequent that a search for it takes eight times as long. */
const endOfKey = Buffer.from('_id"');
/** So many ends are looked at; where there are more, one search for the whole costs less. */
const maxEnds = 64;

/** Whether `prompt_id"` stands anywhere in a body. */
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
 * Finds `prompt_id` among the members of a body, with which Helicone's gateway fills in a prompt that it has stored.
 * @returns undefined for nearly every body, after one search for a word.
 * @throws GatelogError `prompt_not_supported` where nothing else says what to ask the model.
 */
export function findStoredPrompt(body: Buffer): StoredPrompt | undefined {
  // Of a large body the members are known, and to search all of it takes longer than to look at them.
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
 * The call with what its body says of the prompt among its tags. Headers go before it. Inputs are left out where the body is, and of a body that may
 * reach no disk the prompt's identifier is too.
 */
export function taggedWith(admitted: AuthenticatedCall, { promptId, inputs }: StoredPrompt): AuthenticatedCall {
  const { call } = admitted;
  const { head } = call;
  const { directives } = head;
  const keeping = directives.tags.requestBody ?? 'kept';
  const said = {
    ...(promptId === undefined || keeping === 'never' ? {} : { promptId }),
    ...(inputs === undefined || keeping !== 'kept' ? {} : { promptInputs: inputs }),
  };
  return { ...admitted, call: { ...call, head: { ...head, directives: { ...directives, tags: { ...said, ...directives.tags } } } } };
}
