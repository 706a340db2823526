import { GatelogError } from '../../model/errors.ts';
import { parseJson } from '../../model/text.ts';
import { inlineMaxBytes } from '../bodies/threads.ts';
import { findModelField } from '../json/model-field.ts';
import type { RequestBody } from '../http/request-body.ts';

interface FailedCall {
  readonly body: RequestBody;
  readonly isJson: boolean;
  /** Of all providers. */
  readonly names: readonly string[];
}

/**
 * Explains `no_provider_key` for OpenAI where the body named no other provider: a typo in a provider's name should be reported as one.
 */
export function withoutProvider(refusal: GatelogError, { body, isJson, names }: FailedCall): GatelogError {
  if (!('buffered' in body) || body.buffered.length === 0 || !isJson) return refusal;
  const model = findModelField(body.buffered)?.text;
  const known = `Known are ${names.join(', ')}`;
  if (model === undefined) {
    return because(
      refusal,
      `${isJsonText(body.buffered) ? 'The body names no model' : 'The body is no JSON'}, so it was taken for OpenAI.`,
    );
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
