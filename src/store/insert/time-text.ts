/** TRICKY: Unix milliseconds as a calendar time, because the engine takes decimal seconds of few digits for a year. @throws RangeError on a time that is none. */
export function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, -1).replace('T', ' ');
}
