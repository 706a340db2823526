import { spreadOf } from '../measure/spread.ts';
import type { Round, SideRound } from './measure.ts';
import type { SideName } from './side.ts';
import type { TableBytes } from './tables.ts';

/** Numbers of one scenario, over its rounds. */

export const megabyte = 1e6;

/** The median of the rounds. */
export function figureOf(rounds: readonly Round[], side: SideName, read: (round: SideRound) => number): number {
  return spreadOf(rounds.map(({ sides }) => read(sides[side])))?.median ?? Number.NaN;
}

export function diskBytes(tables: readonly TableBytes[]): number {
  return tables.reduce((sum, table) => sum + table.diskBytes, 0);
}

export function indexBytes(tables: readonly TableBytes[]): number {
  return tables.flatMap(({ indexes }) => Object.values(indexes)).reduce((sum, bytes) => sum + bytes, 0);
}

export function percentile(rounds: readonly Round[], side: SideName, question: { readonly name: string; readonly share: number }): number {
  const samples = rounds.flatMap(({ sides }) => sides[side].samples.get(question.name) ?? []).toSorted((left, right) => left - right);
  return samples[Math.min(samples.length - 1, Math.floor(samples.length * question.share))] ?? Number.NaN;
}

export function questionNames(rounds: readonly Round[]): readonly string[] {
  return [...(rounds[0]?.sides.now.samples.keys() ?? [])];
}

/** Bytes on the wire ÷ bytes stored, once everything is merged. */
export function wireByStored(rounds: readonly Round[], side: SideName): number {
  const wireBytes = rounds[0]?.traffic.wireBytes ?? Number.NaN;
  return wireBytes / figureOf(rounds, side, ({ merged }) => diskBytes(merged));
}

export function rowsPerSecond(rounds: readonly Round[], side: SideName): number {
  const calls = rounds[0]?.traffic.calls ?? Number.NaN;
  return calls / (figureOf(rounds, side, ({ insertMs }) => insertMs) / 1000);
}
