import type { RequestCost } from '../../contract/requests/cost.ts';
import type { CostExplanation, ExplainedLine } from '../../model/pricing/billed-request.ts';
import { usdOf, usdOrNull } from '../../model/pricing/money.ts';

/** An explained cost in the API's shape. */
export function requestCost({ total, source, lines, recomputed, note }: CostExplanation): RequestCost {
  return {
    total: usdOrNull(total),
    source,
    lines: lines.map(costLine),
    recomputed_total: usdOrNull(recomputed),
    differs: recomputed !== total,
    note: note ?? null,
  };
}

function costLine({
  kind,
  tokens,
  pricePerMillion,
  amount,
  priceSource,
  statedBy,
  validFrom,
}: ExplainedLine): RequestCost['lines'][number] {
  return {
    kind,
    tokens,
    price_per_million: usdOrNull(pricePerMillion),
    amount: usdOf(amount),
    price_source: priceSource,
    stated_by: statedBy,
    valid_from: validFrom,
  };
}
