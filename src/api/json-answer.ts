import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Every JSON answer of the API. It ends in a line break, so that a terminal's prompt stands on a line of its own behind it. */
export function answerJson(context: Context, value: object, status: ContentfulStatusCode = 200): Response {
  return context.body(`${JSON.stringify(value)}\n`, status, { 'Content-Type': 'application/json' });
}
