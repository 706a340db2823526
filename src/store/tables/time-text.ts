/** TRICKY: Unix milliseconds as a calendar time, because the engine takes decimal seconds of few digits for a year. */
export function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 23).replace('T', ' ');
}
