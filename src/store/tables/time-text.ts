const secondMs = 1000;
/** The records of a batch are of few seconds: so many of them are remembered, each at its place. */
const places = 64;
const seconds = new Float64Array(places).fill(Number.NaN);
const texts: string[] = Array.from({ length: places }, () => '');

/** TRICKY: Unix milliseconds as a calendar time, because the engine takes decimal seconds of few digits for a year. @throws RangeError on a time that is none. */
export function timeText(unixMs: number): string {
  const ms = Math.trunc(unixMs);
  const second = Math.floor(ms / secondMs);
  const place = Math.abs(second) % places;
  if (seconds[place] !== second) {
    texts[place] = new Date(second * secondMs).toISOString().slice(0, 20).replace('T', ' ');
    seconds[place] = second;
  }
  return (texts[place] ?? '') + String(ms - second * secondMs).padStart(3, '0');
}
