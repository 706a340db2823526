/** The name of feedback in the history, and of the score that mirrors it: 1 is good, 0 is bad. */
export const feedbackScore = 'svc-score-feedback';

/** How an average of scores is written: four digits, and no digit of a whole number is lost. */
export const scoreDigits = { maximumSignificantDigits: 4, maximumFractionDigits: 0, roundingPriority: 'morePrecision' } as const;
