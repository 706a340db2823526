/** How far a long command is. */
export interface Progress {
  readonly done: number;
  /** Undefined: not known. */
  readonly total: number | undefined;
  readonly elapsedMs: number;
  /** Done before the command began, by an earlier run. */
  readonly doneBefore: number;
}

const barCells = 20;

/** A line such as `312,400 of 1,000,000 records [######--------------] 31 %, 24,100/s, 29 s left`. */
export function progressLine(noun: string, { done, total, elapsedMs, doneBefore }: Progress): string {
  const perSecond = elapsedMs === 0 ? 0 : ((done - doneBefore) * 1000) / elapsedMs;
  const rate = `${shownNumber(Math.round(perSecond))}/s`;
  if (total === undefined) return `${shownNumber(done)} ${noun}, ${rate}`;
  const all = Math.max(total, done);
  const share = all === 0 ? 1 : done / all;
  const bar = '#'.repeat(Math.floor(share * barCells)).padEnd(barCells, '-');
  const left = perSecond === 0 ? '' : `, ${shownDuration((all - done) / perSecond)} left`;
  return `${shownNumber(done)} of ${shownNumber(all)} ${noun} [${bar}] ${Math.floor(share * 100)} %, ${rate}${left}`;
}

export function shownNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** A number of things. @param noun of one of them. */
export function shownAmount(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}

export function shownDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function shownBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power] ?? ''}`;
}
