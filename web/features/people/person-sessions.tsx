import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PersonSession } from '../../../src/client/types/people.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { useMay, useSignedIn } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { membersQuery, personSessionsQuery } from './people-queries.ts';
import { nameOf } from './roles.ts';

export function PersonSessions(): ReactNode {
  const { person } = useSignedIn();
  const { data, error } = useQuery(personSessionsQuery);
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: useMay('admin') });
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string) => gatelog.people.endSession(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people', 'sessions'] }),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading what="Loading sessions" />;
  if (data.length === 0) return <p className="muted">Nobody is signed in with an account.</p>;
  const whoseText = ({ person_id: id }: PersonSession): string => {
    const member = members.find((one) => one.id === id);
    return id === person?.id ? 'You' : member === undefined ? id : nameOf(member);
  };
  const columns: readonly DataColumn<PersonSession>[] = [
    { id: 'who', title: 'Who', textOf: whoseText, cell: whoseText },
    {
      id: 'browser',
      title: 'Browser',
      textOf: ({ user_agent: agent }) => agent ?? '',
      cell: ({ user_agent: agent }) => agent,
      takesRest: true,
    },
    { id: 'address', title: 'Address', cell: ({ address }) => address },
    { id: 'begun', title: 'Signed in', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    { id: 'seen', title: 'Last call', cell: ({ seen_at: at }) => formatTime(at, timeZone()) },
    {
      id: 'actions',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: (session) => (
        <ConfirmButton
          title={`Sign out ${whoseText(session)}, ${formatTime(session.created_at, timeZone())}`}
          kind="quiet"
          consequence="The next call of that browser is refused."
          onConfirm={() => end.mutateAsync(session.id)}
        >
          Sign out
        </ConfirmButton>
      ),
    },
  ];
  return <DataTable label="Sessions of people" columns={columns} rows={data} keyOf={({ id }) => id} />;
}
