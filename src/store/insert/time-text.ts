/** TRICKY: a calendar time, because the engine reads decimal seconds of few digits as a year. @throws RangeError for an invalid time. */
export function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, -1).replace('T', ' ');
}
