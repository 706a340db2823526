import { type ProcessNumbers, seriesIn } from './exposition.ts';

/**
 * Sum of the counters or gauges of a name over all processes. @param values of labels that count; without one every series does.
 * @returns undefined when no process has set one.
 */
export function sumOf(numbers: readonly ProcessNumbers[], name: string, values: readonly string[] = []): number | undefined {
  const found = numbers
    .flatMap((one) => one.families.filter((family) => family.name === name).flatMap((family) => seriesIn(family, one)))
    .filter(({ labels }) => values.every((value) => labels.some(([, text]) => text === value)))
    .map(({ cells }) => cells[0] ?? Number.NaN)
    .filter((value) => !Number.isNaN(value));
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0);
}
