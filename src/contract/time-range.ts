import { z } from 'zod';

const timeFilterSentence = '`timeFilter` takes an object such as {"startTimeUnixMs": 1767225600000, "endTimeUnixMs": 1769904000000}.';

export const timezoneDifferenceSentence =
  '`timezoneDifference` takes a number of hours up to 24, or of minutes up to 1440; negative west of UTC.';

function bound(name: string, description: string) {
  return z.number(`\`${name}\` takes Unix milliseconds as a number.`).optional().meta({ description });
}

/** Fields of a range of arrival times. */
export const timeBounds = {
  startTimeUnixMs: bound('startTimeUnixMs', 'Start of the range, Unix milliseconds, inclusive. Without it the range has no start.'),
  endTimeUnixMs: bound('endTimeUnixMs', 'End of the range, Unix milliseconds, inclusive. Without it the range has no end.'),
};

export function timeFilterOf<Bounds extends typeof timeBounds>(bounds: Bounds) {
  return z
    .looseObject(bounds, timeFilterSentence)
    .refine((given) => Object.keys(given).length === 0 || 'startTimeUnixMs' in given || 'endTimeUnixMs' in given, timeFilterSentence)
    .optional()
    .meta({ description: 'The range as an object; it wins over the two fields beside it.' });
}
