import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Change } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatTime } from '../../../lib/format.ts';
import { formatScore } from '../../../lib/metrics/metric-format.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../../ui/table/data-table.tsx';
import styles from './detail.module.css';

const pageLimit = 100;

const kindTitles: Readonly<Record<Change['kind'], string>> = {
  property: 'Property',
  score: 'Score',
  feedback: 'Feedback',
  session_property: 'Property of the session',
  cost: 'Cost',
  usage: 'Tokens',
  texts: 'Texts',
  fields: 'Details',
};

/** What was changed after the request was recorded, and by which key. */
export function ChangesTab({ id }: { readonly id: string }): ReactNode {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['changes', id],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => (await gatelog.requests.changes(id, { limit: pageLimit, offset, signal })).data,
    getNextPageParam: (page, pages) => (page.length < pageLimit ? undefined : pages.length * pageLimit),
  });
  if (error !== null) return <PageError error={error} />;
  if (data === undefined) return <Loading what="Loading the changes" />;
  const changes = data.pages.flat().map((change, index) => ({ ...change, index }));
  if (changes.length === 0) return <Empty title="Nothing was changed" />;
  return (
    <div className={styles['tab']}>
      <DataTable label="Changes" columns={columns} rows={changes} keyOf={({ index }) => String(index)} />
      {hasNextPage && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
    </div>
  );
}

const columns: readonly DataColumn<Change>[] = [
  { id: 'time', title: 'When', cell: ({ changed_at: time }) => formatTime(time, timeZone()) },
  { id: 'kind', title: 'What', cell: ({ kind }) => kindTitles[kind] },
  { id: 'name', title: 'Name', cell: ({ name }) => name, textOf: ({ name }) => name },
  { id: 'old', title: 'Before', cell: ({ kind, old }) => valueText(kind, old), textOf: ({ kind, old }) => valueText(kind, old) },
  {
    id: 'new',
    title: 'After',
    cell: (change) => valueText(change.kind, change.new),
    textOf: (change) => valueText(change.kind, change.new),
  },
  { id: 'key', title: 'Key', cell: ({ key_id: key }) => key, textOf: ({ key_id: key }) => key },
];

function valueText(kind: Change['kind'], value: Change['old']): string {
  if (kind === 'score' && typeof value === 'number') return formatScore(value);
  return value === null ? '–' : String(value);
}
