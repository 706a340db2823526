import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AuditEntry } from '../../../src/client/types/people.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { correctionOf, Form, Row } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { membersQuery } from '../people/people-queries.ts';
import { nameOf } from '../people/roles.ts';
import { actionWords } from './action-words.ts';
import { type AuditSearch, exportAddress } from './search.ts';
import { searchFaults, searchOfTyped } from './search-faults.ts';

const route = getRouteApi('/shell/audit');
const pageLength = 100;

/** Who has changed, read and signed in. */
export function AuditPage(): ReactNode {
  const search = route.useSearch();
  const mayRead = useMay('admin');
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', search],
    enabled: mayRead,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const { since, before, ...same } = search;
      return gatelog.audit.list({ ...same, startDate: since, endDate: before, limit: pageLength, cursor: pageParam, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (!mayRead) {
    return (
      <Page title="Audit log">
        <Empty title="You may not see the audit log">
          <p>It requires the admin permission.</p>
        </Empty>
      </Page>
    );
  }
  const entries = data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Audit log"
      about="Changes, sign-ins, and reads of bodies"
      actions={
        <a href={exportAddress(search)} download="gatelog-audit.csv">
          Download as CSV
        </a>
      }
    >
      <SearchForm key={JSON.stringify(search)} search={search} />
      {error !== null ? (
        <PageError error={error} />
      ) : entries === undefined ? (
        <Loading what="Loading the audit log" />
      ) : entries.length === 0 ? (
        <Empty title="Nothing was found">
          <p className="muted">Refused calls, and reads without bodies, are not in the log.</p>
        </Empty>
      ) : (
        <>
          <Entries entries={entries} />
          {hasNextPage && (
            <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
              Show older ones
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

const fields = [
  ['who', 'Person or key', 'Its identifier'],
  ['action', 'Action', 'revokeApiKey'],
  ['target', 'Target', 'Its identifier or name'],
  ['since', 'From', '2026-01-31'],
  ['before', 'Before', '2026-02-01'],
] as const;

function SearchForm({ search }: { readonly search: AuditSearch }): ReactNode {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(search);
  const faults = searchFaults(typed);
  const submit = (): Promise<void> => navigate({ search: searchOfTyped(typed) });
  return (
    <Form label="Search the audit log" submit="Search" onSubmit={submit} missing={correctionOf(...Object.values(faults))}>
      <Row>
        {fields.map(([field, label, placeholder]) => (
          <TextField
            key={field}
            label={label}
            value={typed[field] ?? ''}
            onChange={(value) => setTyped((shown) => ({ ...shown, [field]: value }))}
            fault={faults[field]}
            placeholder={placeholder}
          />
        ))}
      </Row>
    </Form>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const { data: keys = [] } = useQuery({
    queryKey: ['api keys', true],
    queryFn: async ({ signal }) => (await gatelog.keys.list({ includeRevoked: true, signal })).data,
  });
  const whoText = ({ who, key }: AuditEntry): string => {
    const member = members.find(({ id }) => id === who);
    const keyName = key === null ? undefined : (keys.find(({ id }) => id === key)?.api_key_name ?? key);
    const person = member === undefined ? who : nameOf(member);
    if (person === null) return keyName ?? 'A signed address';
    return keyName === undefined ? person : `${person}, with the key ${keyName}`;
  };
  const columns: readonly DataColumn<AuditEntry>[] = [
    { id: 'at', title: 'Time', cell: ({ at }) => formatTime(at, timeZone()) },
    {
      id: 'who',
      title: 'Who',
      textOf: whoText,
      cell: (entry) => <Narrowed search={{ who: entry.who ?? entry.key ?? undefined }}>{whoText(entry)}</Narrowed>,
    },
    {
      id: 'action',
      title: 'Action',
      cell: ({ action }) => (
        <Narrowed search={{ action }} title={action}>
          {actionWords(action)}
        </Narrowed>
      ),
    },
    {
      id: 'target',
      title: 'Target',
      textOf: ({ target }) => target ?? '',
      cell: ({ target }) => target !== null && <Narrowed search={{ target }}>{target}</Narrowed>,
    },
    { id: 'filter', title: 'Filter', textOf: filterText, cell: filterText, takesRest: true },
    { id: 'address', title: 'Address', cell: ({ address }) => address },
  ];
  return <DataTable label="Audit log" columns={columns} rows={entries} keyOf={({ id }) => String(id)} isHeadKept />;
}

interface NarrowedProps {
  readonly search: AuditSearch;
  readonly title?: string;
  readonly children: ReactNode;
}

/** Leads to the entries that have the same. */
function Narrowed({ search, title, children }: NarrowedProps): ReactNode {
  if (Object.values(search).every((value) => value === undefined)) return children;
  return (
    <Link to="/audit" search={(shown) => ({ ...shown, ...search })} title={title}>
      {children}
    </Link>
  );
}

function filterText({ filter }: AuditEntry): string {
  return filter === null ? '' : JSON.stringify(filter);
}
