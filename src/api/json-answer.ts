import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { warningsOf } from './warnings.ts';

/** Every JSON answer of the API, with the call's warnings where there are any. It ends in a line break, so that a terminal's prompt stands on a line of its own behind it. */
export function answerJson(context: Context, value: object, status: ContentfulStatusCode = 200): Response {
  const warnings = warningsOf(context);
  const answer = warnings.length === 0 ? value : { ...value, warnings };
  return context.body(`${JSON.stringify(answer)}\n`, status, { 'Content-Type': 'application/json' });
}
