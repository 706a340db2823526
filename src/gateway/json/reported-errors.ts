import { tellsError } from '../../model/record/failure.ts';
import { parseJson } from '../../model/text.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { bytesAt, elementsAt, findMember, objectAt, skipWhitespace } from './scan.ts';

const { failureEvents, failedFinishReasons, failedElements } = wireProfile;
const anyOf = (texts: readonly string[]): string => texts.join('|');
/** An alternation of literal texts. */
export const literal = (texts: readonly string[]): string => anyOf(texts.map((text) => text.replaceAll('.', String.raw`\.`)));

/** A body without any of these reports no failure. TRICKY: quotes within a JSON string are escaped, so these are names or whole values. */
export const failureWords: readonly string[] = ['error', ...failedFinishReasons].map((word) => `"${word}"`);
export const failedChoice = new RegExp(String.raw`"finish_reason"\s*:\s*"(?:${literal(failedFinishReasons)})"`);
/** An element of a stream that is one JSON list. */
export const failedElement = new RegExp(anyOf(failedElements));

/** An `error` with more than these bytes says something. */
const maxEmptyBytes = 1024;
const failureTypes: ReadonlySet<string> = new Set(failureEvents.map((event) => `"${event}"`));

/**
 * @returns whether an object has an `error` that says something, also in one of its choices, or the type of a failure; undefined where no
 * whole object begins.
 */
export function objectReportsError(json: Buffer): boolean | undefined {
  return objectAt(json, skipWhitespace(json, 0))?.members.some(({ name, value }) => {
    const text = bytesAt(json, value);
    switch (bytesAt(json, name).toString('latin1')) {
      case 'error':
        return saysError(text);
      case 'type':
        return failureTypes.has(text.subarray(0, 64).toString('latin1'));
      case 'choices':
        return text.includes('"error"') && anyChoiceFailed(text);
      default:
        return false;
    }
  });
}

/** OpenRouter's choices tell what failed behind it. */
function anyChoiceFailed(choices: Buffer): boolean {
  for (const { start } of elementsAt(choices, 0)) {
    const error = findMember(choices, start, 'error');
    if (error !== undefined && saysError(bytesAt(choices, error))) return true;
  }
  return false;
}

function saysError(error: Buffer): boolean {
  return error.length > maxEmptyBytes || tellsError(parseJson(error.toString('utf8')));
}
