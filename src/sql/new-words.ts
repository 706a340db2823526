import { sql } from './sql.ts';

/** Of a row whose request is new as a whole: the value of `new_spans`. TRICKY: always three places, as the engine refuses to begin at 0. */
export const allNew = sql`[(toUInt32(1), toUInt32(4294967295)), (toUInt32(1), toUInt32(0)), (toUInt32(1), toUInt32(0))]`;
/** Whether a request is new as a whole, or has no text. */
export const isAllNew = sql`(new_spans[1].2 = 4294967295 OR new_spans[1].2 = 0)`;

/**
 * What the index `new_request_words` of `bodies` covers: the words of a request that its group had not stored before, at most three places
 * of its body (`new_spans`, see `store/insert/new-text.ts`). TRICKY: the engine uses the index for this very expression.
 */
export const newRequestWords = sql`lowerUTF8(concat(substring(request_body, new_spans[1].1, new_spans[1].2), ' ', substring(request_body, new_spans[2].1, new_spans[2].2), ' ', substring(request_body, new_spans[3].1, new_spans[3].2)))`;

/**
 * What the index `packed_response_words` of `bodies` covers. TRICKY: the engine has at most one index of words for an expression, and the one
 * that this replaces is of the response alone.
 */
export const responseWords = sql`lowerUTF8(concat(response_body, ' '))`;
