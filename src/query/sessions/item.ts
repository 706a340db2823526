import { timeTextIn } from '../time-text.ts';
import type { SessionItem } from '../../contract/sessions/item.ts';
import type { SessionMetrics, SessionNameItem, SessionTotals } from '../../contract/sessions/query.ts';
import { type Money, parseMoney, usdOf } from '../../model/pricing/money.ts';
import { shownProperties } from '../../model/vocabulary/property-alias.ts';
import type { SessionNameRow } from './names.ts';
import type { SessionTotalsRow } from './list.ts';
import { average, usdRatioOf } from './ratio.ts';
import type { SessionRow } from './columns.ts';
import type { SessionDistributionRow } from './distribution.ts';

/** A session in the API's shape. @param offsetMinutes east of UTC, for its times. */
export function sessionItem(row: SessionRow, offsetMinutes: number): SessionItem {
  const latest = timeTextIn(Number(row.latest_ms), offsetMinutes);
  return {
    session_id: row.session_id,
    session_name: row.name,
    session_tag: row.tag === '' ? null : row.tag,
    created_at: timeTextIn(Number(row.first_ms), offsetMinutes),
    latest_request_created_at: latest,
    last_used: latest,
    total_cost: usdOf(moneyOf(row.cost_sum)),
    total_requests: Number(row.request_count),
    failed: Number(row.failed_count),
    prompt_tokens: Number(row.prompt_sum),
    completion_tokens: Number(row.completion_sum),
    total_tokens: Number(row.total_sum),
    avg_latency: average(BigInt(row.latency_sum), BigInt(row.latency_count)),
    user_ids: [...row.users],
    properties: shownProperties(row.merged, row.aliased),
  };
}

export function sessionTotals(row: SessionTotalsRow): SessionTotals {
  const [cost, count] = [moneyOf(row.cost_sum), BigInt(row.session_count)];
  return {
    count: Number(count),
    total_cost: usdOf(cost),
    avg_cost: usdRatioOf(cost, count),
    avg_latency: average(BigInt(row.latency_sum), BigInt(row.latency_count)),
    avg_requests: average(BigInt(row.request_sum), count),
  };
}

export function sessionNameItem(row: SessionNameRow, offsetMinutes: number): SessionNameItem {
  const first = timeTextIn(Number(row.first_ms), offsetMinutes);
  return {
    name: row.name,
    created_at: first,
    first_used: first,
    last_used: timeTextIn(Number(row.latest_ms), offsetMinutes),
    session_count: Number(row.session_count),
    avg_latency: average(BigInt(row.latency_sum), BigInt(row.latency_count)),
  };
}

export function sessionMetrics(row: SessionDistributionRow): SessionMetrics {
  const count = BigInt(row.session_count);
  return {
    session_count: histogramOf(row, 'requests'),
    session_duration: histogramOf(row, 'duration'),
    session_cost: histogramOf(row, 'cost'),
    average: {
      session_count: [{ average: average(BigInt(row.requests_sum), count) }],
      session_duration: [{ average: average(BigInt(row.duration_sum), count) }],
      session_cost: [{ average: usdRatioOf(moneyOf(row.cost_sum), count) }],
    },
  };
}

function histogramOf(row: SessionDistributionRow, measure: 'requests' | 'duration' | 'cost'): SessionMetrics['session_count'] {
  const [least, greatest] = [row[`${measure}_least`], row[`${measure}_greatest`]];
  if (least === null || greatest === null) return [];
  const counts = row[`${measure}_counts`].map(Number);
  if (least === greatest) return [{ range_start: least, range_end: greatest, value: counts[0] ?? 0 }];
  const width = (greatest - least) / counts.length;
  return counts.map((value, index) => ({
    range_start: least + index * width,
    range_end: index === counts.length - 1 ? greatest : least + (index + 1) * width,
    value,
  }));
}

function moneyOf(text: string): Money {
  const money = parseMoney(text);
  if (money === undefined) throw new TypeError('The store gave a sum that is no amount.');
  return money;
}
