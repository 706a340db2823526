export const maxLimit = 1_000;

export const limitMessage = `\`limit\` takes a whole number from 0 to ${maxLimit}.`;
export const offsetSentence = '`offset` takes a whole number, 0 or more.';
