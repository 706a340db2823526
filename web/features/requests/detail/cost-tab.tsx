import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestCost, RequestItem } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatCost, formatCount, withoutPrice } from '../../../lib/format.ts';
import { Facts } from '../../../ui/layout/facts.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../../ui/table/data-table.tsx';
import { costStateOf } from '../cost-text.ts';
import styles from './detail.module.css';

type CostLine = RequestCost['lines'][number];

const sourceTitles: Readonly<Record<RequestCost['source'], string>> = {
  'price-book': 'Tokens and prices',
  provider: 'The provider stated it',
  header: 'The caller stated it',
  none: withoutPrice,
};

const tableTitles: Readonly<Record<CostLine['price_source'], string>> = {
  organization: 'Prices of your organisation',
  'prices-file': 'Prices file of the service',
  corrections: 'Gatelog’s corrections',
  'price-book': 'Price list',
  'service-tiers': 'Table of service tiers',
  'built-in': 'Built in',
  provider: 'Stated by the provider',
  header: 'Stated by the caller',
};

/** What a request costs, line by line. */
export function CostTab({ request: { request_id: id, failure, total_tokens: tokens } }: { readonly request: RequestItem }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['cost', id],
    queryFn: async ({ signal }) => (await gatelog.requests.cost(id, { signal })).data,
  });
  if (error !== null) return <PageError error={error} />;
  if (data === undefined) return <Loading what="Loading the cost" />;
  const hasNone = failure !== null && (tokens ?? 0) === 0 && data.total === null && data.recomputed_total === null;
  return (
    <div className={styles['tab']}>
      {hasNone ? <Notice>The call failed, and no tokens of it are known: it has no cost.</Notice> : <PriceNotice cost={data} />}
      <Facts
        facts={[
          ['Cost', formatCost(data.total)],
          ['From', hasNone || (data.source === 'none' && data.total !== null) ? 'Nothing was paid' : sourceTitles[data.source]],
          ['At current prices', formatCost(data.recomputed_total)],
        ]}
      />
      {data.lines.length > 0 && (
        <DataTable
          label="Lines of the cost"
          columns={columns}
          rows={data.lines}
          keyOf={({ kind, price_source: source }) => `${kind} ${source}`}
        />
      )}
      {data.nearest !== null && (
        <p className="muted">
          The nearest model with a price is {data.nearest.model}. This line prices it so: <code>{JSON.stringify(data.nearest.line)}</code>
        </p>
      )}
      {data.note !== null && <p className="muted">{data.note}</p>}
    </div>
  );
}

const columns: readonly DataColumn<CostLine>[] = [
  { id: 'kind', title: 'Item', cell: ({ kind }) => titleOf(kind) },
  { id: 'tokens', title: 'Tokens', isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
  { id: 'price', title: 'Per million', isNumber: true, cell: ({ price_per_million: price }) => formatCost(price) },
  { id: 'amount', title: 'Amount', isNumber: true, cell: ({ amount }) => formatCost(amount) },
  {
    id: 'source',
    title: 'Price from',
    cell: ({ price_source: source, stated_by: by }) => <span title={by ?? undefined}>{tableTitles[source]}</span>,
  },
  { id: 'since', title: 'Valid from', cell: ({ valid_from: date }) => (date === always ? 'always' : (date ?? '–')) },
];

/** What has held since before any request. */
const always = '1970-01-01';

/** `cache_write_1h` as "Cache write 1h". */
function titleOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Why there is no cost, or another one than by the prices as they are now, and where that is mended. */
function PriceNotice({ cost }: { readonly cost: RequestCost }): ReactNode {
  const update = <Link to="/prices">Update past costs</Link>;
  switch (costStateOf(cost)) {
    case 'current':
      return null;
    case 'never priced':
      return <Notice kind="warning">This request has no price: none is set for its model, or its tokens are not known.</Notice>;
    case 'priced since':
      return (
        <Notice kind="warning">
          This request was stored without a price. At current prices it costs {formatCost(cost.recomputed_total)}: {update} applies them.
        </Notice>
      );
    case 'changed since':
      return (
        <Notice>
          Prices were changed since: at current prices it costs {formatCost(cost.recomputed_total)}. {update} applies them.
        </Notice>
      );
  }
}
