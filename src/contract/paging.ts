/** Rows of one page at most. */
export const largestLimit = 1_000;

/** What a wrong `limit` is answered with. */
export const limitSentence = `\`limit\` takes a whole number from 0 to ${largestLimit}.`;
/** What a wrong `offset` is answered with. */
export const offsetSentence = '`offset` takes a whole number, 0 or more.';
