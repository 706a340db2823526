import { identifier } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { countOf, greatest, least, type Part, partsOfMetric, quantilesOf, sumOf, type When } from '../metrics/parts.ts';
import type { Measure } from './plan.ts';

/** The parts of a measure by name, and its value from the names that they have then. */
interface MeasureParts {
  readonly parts: readonly (readonly [name: string, part: Part])[];
  readonly value: (names: readonly Fragment[]) => Fragment;
}

const missing = sql`NULL`;

function partsOf(measure: Measure): MeasureParts {
  switch (measure.kind) {
    case 'metric': {
      const { parts, value } = partsOfMetric(measure.metric);
      return { parts, value: measure.factor === 1 ? value : (names) => sql`${literal(measure.factor)} * ${value(names)}` };
    }
    case 'quantile': {
      const { column, level } = measure;
      return {
        parts: [[`q${level}_${column}`, quantilesOf(column, [level])]],
        value: ([state = missing]) => sql`finalizeAggregation(${state})[1]`,
      };
    }
    case 'column':
      return partsOfColumn(measure);
  }
}

function alone(name: string, part: Part): MeasureParts {
  return { parts: [[name, part]], value: ([only = missing]) => only };
}

function partsOfColumn({ column, aggregation }: Extract<Measure, { kind: 'column' }>): MeasureParts {
  switch (aggregation) {
    case 'sum':
      return alone(`sum_${column}`, sumOf(column));
    case 'min':
      return alone(`min_${column}`, least(column));
    case 'max':
      return alone(`max_${column}`, greatest(column));
    case 'avg':
      return {
        parts: [
          [`sum_${column}`, sumOf(column)],
          [`count_${column}`, countOf(column)],
        ],
        value: ([over = missing, under = missing]) => sql`if(${under} = 0, NULL, toFloat64(${over}) / ${under})`,
      };
  }
}

/** The value of a measure, to be read from a derived table with its parts, or with these combined. Null: there is none. */
export type ValueOf = (stage: 'each' | 'combined') => Fragment;

/** Columns of parts, each once. */
export class PartColumns {
  private readonly columns = new Map<string, { readonly part: Part; readonly when: When }>();

  /** @param prefix of the columns' names. @param when only of such rows. */
  add(prefix: string, measure: Measure, when: When): ValueOf {
    const { parts, value } = partsOf(measure);
    const names = parts.map(([name, part]) => {
      this.columns.set(`${prefix}_${name}`, { part, when });
      return `${prefix}_${name}`;
    });
    return (stage) => value(names.map((name) => identifier(stage === 'each' ? name : combinedName(name))));
  }

  each(): readonly Fragment[] {
    return [...this.columns].map(([name, { part, when }]) => sql`${part.each(when)} AS ${identifier(name)}`);
  }

  /** Combines columns of {@link each}. */
  combined(): readonly Fragment[] {
    return [...this.columns].map(([name, { part }]) => sql`${part.combined(identifier(name))} AS ${identifier(combinedName(name))}`);
  }
}

function combinedName(name: string): string {
  return `all_${name}`;
}
