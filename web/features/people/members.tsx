import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Member } from '../../../src/client/types/people.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { membersQuery } from './people-queries.ts';
import { nameOf, type Role, roleLabels, roleOptions } from './roles.ts';

const sources: Readonly<Record<Member['source'], string>> = {
  group: 'a group of the issuer',
  invitation: 'an invitation',
  admin: 'an administrator',
};

export function Members(): ReactNode {
  const { data, error } = useQuery(membersQuery);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => gatelog.people.remove(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  });
  const [edited, setEdited] = useState<Member>();
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading what="Loading people" />;
  if (data.length === 0) return <p className="muted">Nobody has signed in with an account yet.</p>;
  const columns: readonly DataColumn<Member>[] = [
    { id: 'name', title: 'Name', textOf: nameOf, cell: nameOf },
    { id: 'mail', title: 'E-mail', textOf: ({ mail }) => mail ?? '', cell: ({ mail }) => mail },
    { id: 'role', title: 'Permissions', cell: ({ permissions }) => roleLabels[permissions] },
    { id: 'source', title: 'Added by', cell: ({ source }) => sources[source] },
    { id: 'seen', title: 'Signed in', cell: ({ signed_in_at: at }) => formatTime(at, timeZone()) },
    {
      id: 'actions',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: (member) => (
        <>
          {member.source !== 'group' && (
            <Button kind="quiet" onPress={() => setEdited(member)} aria-label={`Edit ${nameOf(member)}`}>
              Edit
            </Button>
          )}
          <ConfirmButton
            title={`Remove ${nameOf(member)}`}
            kind="quiet"
            consequence="Their sessions end and their keys are refused within seconds. Keys of the organisation stay."
            onConfirm={() => remove.mutateAsync(member.id)}
          >
            Remove
          </ConfirmButton>
        </>
      ),
    },
  ];
  return (
    <>
      <DataTable label="People of the organisation" columns={columns} rows={data} keyOf={({ id }) => id} />
      {edited !== undefined && <EditMember key={edited.id} member={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function EditMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }): ReactNode {
  const [permissions, setPermissions] = useState<Role>(member.permissions);
  const queryClient = useQueryClient();
  const change = async (): Promise<void> => {
    await gatelog.people.change(member.id, { permissions });
    await queryClient.invalidateQueries({ queryKey: ['people'] });
    onClose();
  };
  return (
    <Dialog title={`Edit ${nameOf(member)}`} isOpen onClose={onClose}>
      <Form label="Edit a person" submit="Save changes" onSubmit={change} onCancel={onClose}>
        <Select label="Permissions" isLabelShown value={permissions} options={roleOptions} onChange={setPermissions} />
      </Form>
    </Dialog>
  );
}
