/** Rows of one page at most. */
export const maxLimit = 1_000;

/** What a wrong `limit` is answered with. */
export const limitMessage = `\`limit\` takes a whole number from 0 to ${maxLimit}.`;
/** What a wrong `offset` is answered with. */
export const offsetSentence = '`offset` takes a whole number, 0 or more.';
