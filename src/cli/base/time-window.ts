import { isTimeZone, parseHumanTime, humanTimeForms } from '../../model/time/human-time.ts';
import { UsageError } from './dependencies.ts';

export const timeHelp = humanTimeForms;

/**
 * A point in time as people write it, of a time zone.
 * @param option its name, for the error.
 * @returns Unix milliseconds.
 * @throws UsageError for a text of another form.
 */
export function timeOf(
  text: string,
  { option, now, timezone }: { readonly option: string; readonly now: number; readonly timezone: string },
): number {
  const time = parseHumanTime(text, { now, timezone });
  if (time === undefined) throw new UsageError(`${option} takes ${timeHelp}; got "${text}".`);
  return time;
}

/** @throws UsageError for a name that is no time zone. */
export function checkedZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw new UsageError(`--timezone takes a name such as Europe/Berlin; got "${name}".`);
}
