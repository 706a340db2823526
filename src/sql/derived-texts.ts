import { type Fragment, sql } from './sql.ts';

/**
 * Texts that a row of `bodies` contains, by their name: the JSON strings of a body at the given places, joined by newlines, or a text of
 * their own where the body does not contain them.
 */
export const derivedTexts = {
  prompt: sql`if(empty(prompt_spans), prompt_text, ${joined(sql`prompt_spans`, sql`concat(request_body, request_rest)`)})`,
  last_user: sql`if(empty(last_user_spans), last_user_text, ${joined(sql`last_user_spans`, sql`concat(request_body, request_rest)`)})`,
  completion: sql`if(empty(completion_spans), completion_text, ${joined(sql`completion_spans`, sql`concat(response_body, response_rest)`)})`,
};

function joined(spans: Fragment, body: Fragment): Fragment {
  return sql`arrayStringConcat(arrayMap(span -> JSONExtractString(concat('"', substring(${body}, span.1, span.2), '"')), ${spans}), char(10))`;
}
