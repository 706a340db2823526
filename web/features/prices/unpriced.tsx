import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { parseSearch } from '../../../src/query/language/parse.ts';
import { formatCount } from '../../lib/format.ts';
import { type Group, groupId, groupsQuery } from '../../lib/metrics/groups.ts';
import { searchFor } from '../../lib/search-text.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';

const shownModels = 50;

/** A step of a tool and a call that broke off before its usage have nothing that a price could be of. */
const withTokens = parseSearch('tokens:>0').filter;

export interface UnpricedProps {
  readonly mayChange: boolean;
  readonly onPrice: (model: string) => void;
}

/** Models with requests on record whose cost nobody knows, those with most requests first. Nothing where there is none. */
export function Unpriced({ mayChange, onPrice }: UnpricedProps): ReactNode {
  const { data, error } = useQuery(
    groupsQuery({
      filter: withTokens,
      from: undefined,
      to: undefined,
      metrics: ['unpriced_count', 'total_tokens', 'count'],
      by: ['model'],
      sort: { unpriced_count: 'desc' },
      limit: shownModels,
    }),
  );
  if (error !== null) return <ErrorNotice error={error} />;
  const rows = data?.groups.filter(({ figures }) => (figures.unpriced_count ?? 0) > 0) ?? [];
  if (rows.length === 0) return null;
  const total = data?.total?.unpriced_count ?? 0;
  return (
    <Section
      title="No price"
      about={`${formatCount(total)} ${total === 1 ? 'request has' : 'requests have'} no cost. Where a model has a price by now, “Update past costs” applies it`}
    >
      <DataTable label="Models with no price" columns={columnsOf(mayChange, onPrice)} rows={rows} keyOf={({ key }) => groupId(key)} />
    </Section>
  );
}

function columnsOf(mayChange: boolean, onPrice: UnpricedProps['onPrice']): readonly DataColumn<Group>[] {
  return [
    {
      id: 'model',
      title: 'Model',
      textOf: ({ key: [model] }) => String(model ?? 'no model'),
      cell: ({ key }) => <Requests model={key[0]} />,
    },
    { id: 'requests', title: 'Requests with no price', isNumber: true, cell: ({ figures }) => formatCount(figures.unpriced_count) },
    { id: 'tokens', title: 'Tokens', isNumber: true, cell: ({ figures }) => formatCount(figures.total_tokens) },
    {
      id: 'fix',
      title: 'Fix',
      cell: ({ key: [model] }) =>
        mayChange && typeof model === 'string' ? (
          <Button onPress={() => onPrice(model)} aria-label={`Set a price for ${model}`}>
            Set a price
          </Button>
        ) : null,
    },
  ];
}

function Requests({ model }: { readonly model: Group['key'][number] | undefined }): ReactNode {
  if (typeof model !== 'string') return 'no model';
  return (
    <Link to="/requests" search={{ q: searchFor('model', model), range: 'all' }}>
      {model}
    </Link>
  );
}
