import type { RequestCost } from '../../contract/requests/cost.ts';
import type { CostExplanation, ExplainedLine, NearestPrice } from '../../model/record/billed-request.ts';
import { usdOf, usdOrNull } from '../../model/pricing/money.ts';

/** An explained cost in the API's shape. */
export function requestCost({ total, source, lines, recomputed, note, nearest }: CostExplanation): RequestCost {
  return {
    total: usdOrNull(total),
    source,
    lines: lines.map(costLine),
    recomputed_total: usdOrNull(recomputed),
    differs: recomputed !== total,
    note: note ?? null,
    nearest: nearest === undefined ? null : { model: nearest.model, line: lineOf(nearest.line) },
  };
}

/** As `PUT /v1/prices` takes it. */
function lineOf({ model, provider, rates }: NearestPrice['line']): NonNullable<RequestCost['nearest']>['line'] {
  return { model, ...(provider === null ? {} : { provider }), ...rates, input: rates.input ?? 0, output: rates.output ?? 0 };
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
