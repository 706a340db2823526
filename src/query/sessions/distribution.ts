import type { OrganizationId } from '../../model/ids.ts';
import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import type { NumberCell } from '../requests/columns.ts';
import { conditionsOf, sessionGroups } from './conditions.ts';
import type { Tail } from './query.ts';
import type { SessionSelection } from './selection.ts';
import { costOf, endOf, requestsOf, startOf } from './columns.ts';

const measures = ['requests', 'duration', 'cost'] as const;

type Measure = (typeof measures)[number];

/** Buckets of a histogram. */
const bucketCount = 10;

/** The least and greatest value in a histogram, null without any, and the number of sessions in each bucket. */
type HistogramCells = Readonly<Record<`${Measure}_least` | `${Measure}_greatest`, number | null>> &
  Readonly<Record<`${Measure}_counts`, readonly NumberCell[]>>;

/** The distribution of sessions as JSONEachRow returns it. Sums are text. */
export interface SessionDistributionRow extends HistogramCells {
  readonly session_count: NumberCell;
  readonly requests_sum: string;
  readonly duration_sum: string;
  readonly cost_sum: string;
}

const shares: Readonly<Record<Exclude<Tail, 'interquartile'>, number>> = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99, 'p99.9': 0.999 };

/** The statement for the distribution of the matching sessions. */
export function sessionDistributionStatement(selection: SessionSelection, tail: Tail): Statement {
  const { clauses, aggregate } = sessionGroups(conditionsOf(selection), { allRequests: false });
  const duration = sql`toUnixTimestamp64Milli(${endOf(aggregate)}) - toUnixTimestamp64Milli(${startOf(aggregate)})`;
  const columns = sql`${requestsOf(aggregate)} AS requests_each, ${duration} AS duration_each, ${costOf(aggregate)} AS cost_each`;
  return distributionStatement(selection.tenant, select({ ...clauses, columns }), tail);
}

/**
 * The statement for the distribution of groups of requests. @param each a row for each group, with `requests_each`, `duration_each` and
 * `cost_each`.
 */
export function distributionStatement(tenant: OrganizationId, each: Query, tail: Tail): Statement {
  const sums = join(
    [sql`count() AS session_count`, ...measures.map((of) => sql`toString(sum(${cell(of, 'each')})) AS ${cell(of, 'sum')}`)],
    ', ',
  );
  // TRICKY: the text of an amount is read as the nearest number; a cast would round twice.
  const all = perMeasure((of) => [['all', sql`arraySort(groupArray(toFloat64(toString(${cell(of, 'each')}))))`]]);
  const found = select({ columns: [sums, all], from: each });
  const bounded = adding((of) => boundsOf(cell(of, 'all'), tail), found);
  const shown = adding(
    (of) => [['shown', sql`arrayFilter(one -> one >= ${cell(of, 'low')} AND one <= ${cell(of, 'high')}, ${cell(of, 'all')})`]],
    bounded,
  );
  const ends = adding(
    (of) => [
      ['least', sql`if(empty(${cell(of, 'shown')}), NULL, ${cell(of, 'shown')}[1])`],
      ['greatest', sql`if(empty(${cell(of, 'shown')}), NULL, ${cell(of, 'shown')}[length(${cell(of, 'shown')})])`],
    ],
    shown,
  );
  const widths = adding((of) => [['width', sql`ifNull((${cell(of, 'greatest')} - ${cell(of, 'least')}) / 10, 0)`]], ends);
  const placed = adding((of) => [['places', bucketsOf(of)]], widths);
  const counted = adding((of) => [['counts', sql`[${join(bucketCounts(of), ', ')}]`]], placed);
  const cells = measures.flatMap((of) => [cell(of, 'sum'), cell(of, 'least'), cell(of, 'greatest'), cell(of, 'counts')]);
  return statementFor(tenant, select({ columns: [sql`session_count`, ...cells], from: counted }), 'long');
}

type Named = readonly (readonly [string, Fragment])[];

function cell(of: Measure, what: string): Fragment {
  return identifier(`${of}_${what}`);
}

function perMeasure(columnsOf: (of: Measure) => Named): Fragment {
  return join(
    measures.flatMap((of) => columnsOf(of).map(([what, value]) => sql`${value} AS ${cell(of, what)}`)),
    ', ',
  );
}

/**
 * TRICKY: the engine copies a lambda's outer values for each element, so each step passes plain numbers to the next, not an expression
 * over an array.
 */
function adding(columnsOf: (of: Measure) => Named, source: Query): Query {
  return select({ columns: [sql`*`, perMeasure(columnsOf)], from: source });
}

/** The bounds of a histogram. A quantile is the least value that at least this share of the values does not exceed. */
function boundsOf(sorted: Fragment, tail: Tail): Named {
  const quantile = (share: number): Fragment => sql`${sorted}[toUInt64(greatest(1, ceil(length(${sorted}) * ${param(share, 'Float64')})))]`;
  if (tail !== 'interquartile') {
    const shown = quantile(shares[tail]);
    return [
      ['low', sql`${sorted}[1]`],
      ['high', shown],
    ];
  }
  const [lower, upper] = [quantile(0.25), quantile(0.75)];
  const reach = sql`1.5 * (${upper} - ${lower})`;
  return [
    ['low', sql`${lower} - ${reach}`],
    ['high', sql`${upper} + ${reach}`],
  ];
}

/** The bucket of each value, from 0. */
function bucketsOf(of: Measure): Fragment {
  const [width, least] = [cell(of, 'width'), cell(of, 'least')];
  const bucket = sql`least(${param(bucketCount - 1, 'Float64')}, floor((one - assumeNotNull(${least})) / ${width}))`;
  return sql`arrayMap(one -> if(${width} = 0, 0., ${bucket}), ${cell(of, 'shown')})`;
}

function bucketCounts(of: Measure): readonly Fragment[] {
  return Array.from({ length: bucketCount }, (_, index) => sql`countEqual(${cell(of, 'places')}, ${param(index, 'Float64')})`);
}
