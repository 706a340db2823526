import type { BodySummary, SentBody } from '../model/record/body-summary.ts';
import { asUtf8 } from '../model/wide-text.ts';
import { GatelogError } from '../model/errors.ts';
import { jsonExcess, maxJsonDepth } from '../model/json/bounds.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/text.ts';
import { type BodyScan, readCallSize, scanBody } from './call-size.ts';
import { wireFormatFor } from './registry.ts';

/**
 * Parses a body for limits and estimates. @returns the summary for each form in which the body may be sent; undefined when it is no JSON
 * object. @throws GatelogError as {@link parseBody} does.
 */
export function readBody(body: Buffer): (sent: SentBody) => BodySummary | undefined {
  const text = asUtf8(body, '', true);
  const parsed = parseText(text);
  if (!isJsonObject(parsed)) return () => undefined;
  let names: BodyScan | undefined;
  // A token may be shorter than the two bytes that a character takes in another encoding of Unicode.
  const grown = Math.max(0, text.length - body.length);
  return (sent) => summaryIn(parsed, { ...sent, bytes: sent.bytes + grown }, (names ??= scanBody(parsed)));
}

/**
 * The JSON of a body in any encoding of Unicode that servers guess; undefined when it is no JSON. @throws GatelogError `body_too_large`
 * beyond the bounds of `model/json/bounds.ts`: a body that may be JSON and is not read must not count as none, for which a budget reserves
 * a default and a limit by user nothing.
 */
export function parseBody(body: Buffer): unknown {
  return parseText(asUtf8(body, '', true));
}

function parseText(utf8: Buffer): unknown {
  const text = utf8.toString().replace(/^\ufeff/, '');
  if (jsonExcess(text) === undefined) return parseJson(text);
  throw new GatelogError(
    'body_too_large',
    `The body has too many values or is nested more than ${maxJsonDepth} levels deep, and a budget, a limit by user or the echo provider must read it; send fewer or less nested values.`,
  );
}

function summaryIn(parsed: JsonObject, { provider, path, replaced, bytes }: SentBody, names: BodyScan): BodySummary {
  const format = wireFormatFor(provider, path);
  const body = replaced === undefined ? parsed : { ...parsed, ...replaced };
  const { model = '', user = '' } = format?.readRequest(body, path) ?? {};
  const size = readCallSize(body, bytes, format?.outputLimits ?? [], replaced === undefined ? names : both(names, scanBody(replaced)));
  return { model, user, size };
}

/** The larger of two estimates when members of the body are replaced: an estimate may be too high, never too low. */
function both(one: BodyScan, other: BodyScan): BodyScan {
  return { isText: one.isText && other.isText, writesCache: one.writesCache || other.writesCache };
}
