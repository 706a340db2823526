import { parseTimestamp } from '../../../src/model/vocabulary/timestamp.ts';
import { lengthFault } from '../../lib/name-faults.ts';
import type { AuditSearch } from './search.ts';

/** As the API bounds it. */
const maxText = 512;
const noTime = 'Write a day such as 2026-01-31, or a time such as 2026-01-31T12:00Z.';

/** What is wrong with each field of a search as it is typed, as a sentence. */
export function searchFaults(typed: AuditSearch): Readonly<Record<keyof AuditSearch, string | undefined>> {
  return {
    who: lengthFault(typed.who ?? '', maxText),
    action: lengthFault(typed.action ?? '', maxText),
    target: lengthFault(typed.target ?? '', maxText),
    since: timeFault(typed.since),
    before: timeFault(typed.before) ?? turnedFault(typed),
  };
}

/** @returns undefined where nothing is typed, or no time. */
function timeOf(text = ''): number | undefined {
  const time = text.trim();
  // Digits alone are Unix milliseconds, as the API reads them.
  return parseTimestamp(/^\d{5,}$/.test(time) ? Number(time) : time);
}

function timeFault(text = ''): string | undefined {
  return text.trim() === '' || timeOf(text) !== undefined ? undefined : noTime;
}

function turnedFault({ since, before }: AuditSearch): string | undefined {
  const [start, end] = [timeOf(since), timeOf(before)];
  return start !== undefined && end !== undefined && end <= start ? 'Write a later time than that of “From”.' : undefined;
}

/** What a search asks for once it is sent, without the fields that are empty. */
export function searchOfTyped(typed: AuditSearch): AuditSearch {
  const given = Object.entries(typed as Readonly<Record<string, string | undefined>>).flatMap(([field, value = '']) =>
    value.trim() === '' ? [] : [[field, value.trim()] as const],
  );
  return Object.fromEntries(given);
}
