import type { LineInput } from './input.ts';

/** One line on a terminal: how far, how fast, how long it will take. */
export class ImportProgress {
  private readonly file: string;
  private readonly input: LineInput;
  private readonly write: (text: string) => void;
  private readonly startedAt = performance.now();

  constructor(file: string, input: LineInput, write: (text: string) => void) {
    this.file = file;
    this.input = input;
    this.write = write;
  }

  show(lines: number): void {
    const seconds = Math.max(0.001, (performance.now() - this.startedAt) / 1000);
    const { totalBytes, readBytes } = this.input;
    const share = totalBytes === undefined || totalBytes === 0 ? undefined : Math.min(1, readBytes() / totalBytes);
    const ahead =
      share === undefined ? '' : `, ${Math.floor(share * 100)} %, ${durationText((seconds * (1 - share)) / Math.max(share, 0.001))} left`;
    this.write(`${this.file}: ${lines} lines, ${Math.round(lines / seconds)} a second${ahead}`);
  }

  clear(): void {
    this.write('');
  }
}

function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
