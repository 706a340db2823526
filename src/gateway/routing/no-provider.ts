import { GatelogError } from '../../model/errors.ts';
import { parseJson } from '../../model/text.ts';
import { inlineMaxBytes } from '../bodies/threads.ts';
import { findModelField } from '../json/model-field.ts';
import type { RequestBody } from '../http/request-body.ts';

interface Keyless {
  readonly body: RequestBody;
  /** Its head does not speak against JSON. */
  readonly isJson: boolean;
  /** Of the providers there are. */
  readonly names: readonly string[];
}

/**
 * The refusal of a call for which there is no key of OpenAI's, where it went only because its body names no other provider: a slip in a
 * provider's name is to be told as one.
 */
export function withoutProvider(refusal: GatelogError, { body, isJson, names }: Keyless): GatelogError {
  if (!('whole' in body) || body.whole.length === 0 || !isJson) return refusal;
  const model = findModelField(body.whole)?.text;
  const known = `Known are ${names.join(', ')}`;
  if (model === undefined) {
    return because(refusal, `${isJsonText(body.whole) ? 'The body names no model' : 'The body is no JSON'}, so it was taken for OpenAI.`);
  }
  const shown = model.slice(0, 120);
  const prefix = model.includes('/') ? model.slice(0, model.indexOf('/')) : '';
  if (prefix !== '') {
    return new GatelogError(
      'unknown_provider',
      `The model "${shown}" names no provider: "${prefix.slice(0, 60)}" is none, and for OpenAI, which would get it as it is, there is no key. ${known}; write "<provider>/<model>".`,
    );
  }
  return because(refusal, `The model "${shown}" names no provider ("<provider>/<model>"), so it was taken for OpenAI. ${known}.`);
}

function because(refusal: GatelogError, sentence: string): GatelogError {
  return new GatelogError(refusal.code, `${refusal.message} ${sentence}`);
}

function isJsonText(body: Buffer): boolean {
  return body.length > inlineMaxBytes || parseJson(body.toString()) !== undefined;
}
