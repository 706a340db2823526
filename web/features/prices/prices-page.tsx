import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Price } from '../../../src/client/client.ts';
import type { ModelPricing } from '../../../src/client/types/prices.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { isSamePrice } from './price-faults.ts';
import { type EditedPrice, PriceForm } from './price-form.tsx';
import { Reprice } from './reprice.tsx';
import { Unpriced } from './unpriced.tsx';

const route = getRouteApi('/shell/prices');

const ownPrices = {
  queryKey: ['prices'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly Price[]> => (await gatelog.prices.get({ signal })).data,
};

/** The organisation's own prices, which go before the price list, and the price list. */
export function PricesPage(): ReactNode {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMay('admin');
  const { data, error } = useQuery(ownPrices);
  const [edited, setEdited] = useState<EditedPrice>();
  if (error !== null) return <PageError error={error} page={{ what: 'Prices', back: { to: '/', title: 'Overview' } }} />;
  if (data === undefined) return <Loading what="Loading prices" />;
  return (
    <Page
      title="Prices"
      about="US dollars for a million tokens"
      actions={mayChange && <Button onPress={() => setEdited({ kind: 'new' })}>Set a price</Button>}
    >
      {!mayChange && <Notice>You may read prices. Setting them requires the admin permission.</Notice>}
      <Unpriced mayChange={mayChange} onPrice={(model) => setEdited({ kind: 'unpriced', model })} />
      <Section title="Your prices" about="Used before the price list">
        {data.length === 0 ? (
          <p className="muted">None yet. A model that is not on the price list has no cost until you set a price.</p>
        ) : (
          <OwnPrices prices={data} mayChange={mayChange} onEdit={(price) => setEdited({ kind: 'change', price })} />
        )}
      </Section>
      {mayChange && <Reprice />}
      <Catalogue q={q} onSearch={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })} />
      {edited !== undefined && <PriceForm prices={data} edited={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

interface OwnPricesProps {
  readonly prices: readonly Price[];
  readonly mayChange: boolean;
  readonly onEdit: (price: Price) => void;
}

function OwnPrices({ prices, mayChange, onEdit }: OwnPricesProps): ReactNode {
  const queryClient = useQueryClient();
  const remove = async (price: Price): Promise<void> => {
    await gatelog.prices.change((present) => present.filter((one) => !isSamePrice(one, price)));
    await queryClient.invalidateQueries({ queryKey: ['prices'] });
  };
  const columns: readonly DataColumn<Price>[] = [
    { id: 'model', title: 'Model', textOf: ({ model }) => model, cell: ({ model }) => model },
    { id: 'provider', title: 'Provider', cell: ({ provider }) => provider ?? 'any' },
    { id: 'from', title: 'From', cell: ({ valid_from: from }) => from ?? 'always' },
    { id: 'input', title: 'Input', isNumber: true, cell: ({ input }) => formatCost(input) },
    { id: 'output', title: 'Output', isNumber: true, cell: ({ output }) => formatCost(output) },
    { id: 'others', title: 'Others', textOf: othersText, cell: othersText },
    ...(mayChange
      ? [
          {
            id: 'change',
            title: 'Actions',
            cell: (price: Price) => (
              <>
                <Button kind="quiet" onPress={() => onEdit(price)} aria-label={`Edit the price of ${price.model}`}>
                  Edit
                </Button>
                <ConfirmButton
                  title={`Delete the price of ${price.model}`}
                  kind="quiet"
                  consequence="New calls get the price of the price list, or none. Costs of past requests stay."
                  onConfirm={() => remove(price)}
                >
                  Delete
                </ConfirmButton>
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label="Your own prices"
      columns={columns}
      rows={prices}
      keyOf={({ model, provider, valid_from: from }) => [model, provider, from].join(' ')}
    />
  );
}

const shownApart = new Set(['model', 'provider', 'valid_from', 'input', 'output']);

function othersText(price: Price): string {
  return Object.entries(price)
    .flatMap(([kind, amount]) =>
      shownApart.has(kind) || typeof amount !== 'number' ? [] : `${kind.replaceAll('_', ' ')} ${formatCost(amount)}`,
    )
    .join(', ');
}

const shownModels = 50;

/** What Gatelog knows without being told, found by a part of the name. */
function Catalogue({ q, onSearch }: { readonly q: string; readonly onSearch: (text: string) => void }): ReactNode {
  const isSearched = q.trim() !== '';
  const { data, error } = useQuery({
    queryKey: ['model registry'],
    staleTime: Infinity,
    enabled: isSearched,
    queryFn: async ({ signal }): Promise<readonly CatalogueRow[]> => {
      const { data: registry } = await gatelog.prices.registry({ signal });
      return registry.models.flatMap(({ id, endpoints }) => endpoints.map(({ provider, pricing }) => ({ id, provider, pricing })));
    },
  });
  const found = (isSearched ? data : undefined)?.filter(({ id }) => id.toLowerCase().includes(q.toLowerCase())) ?? [];
  return (
    <Section
      title="Price list"
      about={data === undefined || !isSearched ? 'Prices that Gatelog knows' : `${found.length} of ${data.length} models`}
    >
      <TextField label="Search models" type="search" value={q} onChange={onSearch} placeholder="gpt-4o" />
      {error !== null ? (
        <PageError error={error} />
      ) : !isSearched ? null : data === undefined ? (
        <Loading />
      ) : found.length === 0 ? (
        <Empty title="No model matches" />
      ) : (
        <DataTable
          label="Models of the price list"
          columns={catalogueColumns}
          rows={found.slice(0, shownModels)}
          keyOf={({ id, provider }) => `${provider} ${id}`}
        />
      )}
    </Section>
  );
}

interface CatalogueRow {
  readonly id: string;
  readonly provider: string;
  readonly pricing: ModelPricing;
}

const catalogueColumns: readonly DataColumn<CatalogueRow>[] = [
  { id: 'model', title: 'Model', textOf: ({ id }) => id, cell: ({ id }) => id },
  { id: 'provider', title: 'Provider', textOf: ({ provider }) => provider, cell: ({ provider }) => provider },
  { id: 'input', title: 'Input', isNumber: true, cell: ({ pricing }) => formatCost(pricing.prompt) },
  { id: 'output', title: 'Output', isNumber: true, cell: ({ pricing }) => formatCost(pricing.completion) },
  { id: 'read', title: 'Cache read', isNumber: true, cell: ({ pricing }) => formatCost(pricing.cacheRead) },
  { id: 'write', title: 'Cache write', isNumber: true, cell: ({ pricing }) => formatCost(pricing.cacheWrite) },
];
