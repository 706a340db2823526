import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ApiKey } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { isPersonsOwn, useMay, useSignedIn } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { membersQuery } from '../people/people-queries.ts';
import { nameOf } from '../people/roles.ts';
import { EditKey, NewKey } from './key-forms.tsx';
import { permissionLabels } from './permissions.ts';

const route = getRouteApi('/shell/keys');

/** The keys that callers send to the gateway and the API. */
export function KeysPage(): ReactNode {
  const { revoked = false } = route.useSearch();
  const navigate = route.useNavigate();
  const isPerson = isPersonsOwn(useSignedIn());
  const isAdmin = useMay('admin');
  const mayChange = isAdmin || isPerson;
  const { data, error } = useQuery({
    queryKey: ['api keys', revoked],
    enabled: mayChange,
    queryFn: async ({ signal }) => (await gatelog.keys.list({ includeRevoked: revoked, signal })).data,
  });
  const [edited, setEdited] = useState<ApiKey>();
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title="Keys"
      about={isAdmin ? 'Callers send one of them to the gateway and to the API' : 'Yours, which you send to the gateway and to the API'}
      actions={mayChange && <Button onPress={() => setIsMaking(true)}>{isPerson ? 'New key for this machine' : 'New key'}</Button>}
      bar={
        <Checkbox isSelected={revoked} onChange={(shown) => void navigate({ search: shown ? { revoked: true } : {} })}>
          Show revoked keys
        </Checkbox>
      }
    >
      {!mayChange ? (
        <Empty title="You may not see the keys">
          <p>Sign in with your account, or with a key that has the permission admin.</p>
        </Empty>
      ) : error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading keys" />
      ) : (
        <Keys keys={data} onEdit={setEdited} />
      )}
      {isMaking && <NewKey onClose={() => setIsMaking(false)} />}
      {edited !== undefined && <EditKey key={edited.id} apiKey={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

interface KeysProps {
  readonly keys: readonly ApiKey[];
  readonly onEdit: (key: ApiKey) => void;
}

function Keys({ keys, onEdit }: KeysProps): ReactNode {
  const queryClient = useQueryClient();
  const { key_id: own } = useSignedIn();
  const revoke = useMutation({
    mutationFn: (id: string) => gatelog.keys.revoke(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api keys'] }),
  });
  const columns: readonly DataColumn<ApiKey>[] = [
    { id: 'name', title: 'Key', textOf: ({ api_key_name: name }) => name, cell: ({ api_key_name: name }) => name },
    { id: 'prefix', title: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'may', title: 'Permissions', cell: ({ key_permissions: may }) => permissionLabels[may] },
    { id: 'made', title: 'Created', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    { id: 'owner', title: 'Belongs to', cell: (key) => <Owner apiKey={key} /> },
    { id: 'state', title: 'State', cell: (key) => <State apiKey={key} isOwn={key.id === own} /> },
    {
      id: 'change',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: (key) =>
        key.revoked_at === null && (
          <>
            <Button kind="quiet" onPress={() => onEdit(key)} aria-label={`Edit ${key.api_key_name}`}>
              Edit
            </Button>
            <ConfirmButton
              title={`Revoke ${key.api_key_name}`}
              kind="quiet"
              consequence="Calls with it are refused within a second, for good. The requests that it sent are kept."
              onConfirm={() => revoke.mutateAsync(key.id)}
            >
              Revoke
            </ConfirmButton>
          </>
        ),
    },
  ];
  return <DataTable label="Keys" columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

/** Names are shown to who may read them. */
function Owner({ apiKey: { person_id: id } }: { readonly apiKey: ApiKey }): ReactNode {
  const { person } = useSignedIn();
  const { data: members } = useQuery({ ...membersQuery, enabled: useMay('admin') && id !== null });
  if (id === null) return 'the organisation';
  if (id === person?.id) return 'you';
  const member = members?.find((one) => one.id === id);
  return member === undefined ? 'a person who has left' : nameOf(member);
}

function State({ apiKey: { revoked_at: at }, isOwn }: { readonly apiKey: ApiKey; readonly isOwn: boolean }): ReactNode {
  if (at !== null) return <Badge kind="plain">revoked {formatTime(at, timeZone())}</Badge>;
  return <Badge kind="good">{isOwn ? 'yours' : 'valid'}</Badge>;
}
