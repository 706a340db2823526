import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Invitation } from '../../../src/client/types/people.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { correctionOf, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Select } from '../../ui/select.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { mailFault } from './mail-fault.ts';
import { invitationsQuery } from './people-queries.ts';
import { type Role, roleLabels, roleOptions } from './roles.ts';

export function Invitations(): ReactNode {
  const { data, error } = useQuery(invitationsQuery);
  const queryClient = useQueryClient();
  const takeBack = useMutation({
    mutationFn: (id: string) => gatelog.invitations.takeBack(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people', 'invitations'] }),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading what="Loading invitations" />;
  if (data.length === 0) return <p className="muted">No invitation is open.</p>;
  const columns: readonly DataColumn<Invitation>[] = [
    { id: 'for', title: 'For', textOf: forText, cell: forText },
    { id: 'role', title: 'Permissions', cell: ({ permissions }) => roleLabels[permissions] },
    { id: 'made', title: 'Created', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    { id: 'ends', title: 'Ends', cell: ({ expires_at: at }) => formatTime(at, timeZone()) },
    {
      id: 'actions',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: (invitation) => (
        <ConfirmButton
          title={`Revoke the invitation for ${forText(invitation)}`}
          kind="quiet"
          consequence="Its link stops working."
          onConfirm={() => takeBack.mutateAsync(invitation.id)}
        >
          Revoke
        </ConfirmButton>
      ),
    },
  ];
  return <DataTable label="Invitations that can be used" columns={columns} rows={data} keyOf={({ id }) => id} />;
}

function forText({ mail }: Invitation): string {
  return mail ?? 'whoever has the link';
}

/** Makes an invitation and shows its link this once. */
export function InvitePerson({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [mail, setMail] = useState('');
  const [permissions, setPermissions] = useState<Role>('rw');
  const [link, setLink] = useState<string>();
  const queryClient = useQueryClient();
  const fault = mailFault(mail);
  const invite = async (): Promise<void> => {
    const given = mail.trim();
    const { data } = await gatelog.invitations.create({ permissions, mail: given === '' ? null : given });
    setLink(data.link);
    await queryClient.invalidateQueries({ queryKey: ['people', 'invitations'] });
  };
  if (link !== undefined) {
    return (
      <Dialog title="The invitation" isOpen onClose={onClose}>
        <p>Send this link to the person. It is not shown again, makes one person a member, and ends in seven days.</p>
        <Secret label="Link" text={link} />
        <Actions>
          <Button kind="primary" onPress={onClose}>
            Done
          </Button>
        </Actions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite a person" isOpen onClose={onClose}>
      <Form label="Invite a person" submit="Make a link" onSubmit={invite} onCancel={onClose} missing={correctionOf(fault)}>
        <TextField
          label="E-mail address"
          value={mail}
          onChange={setMail}
          fault={fault}
          placeholder="ada@example.com"
          about="Only the account with this address may use the link. Leave it empty, and whoever has the link may."
          autoFocus
        />
        <Select label="Permissions" isLabelShown value={permissions} options={roleOptions} onChange={setPermissions} />
      </Form>
    </Dialog>
  );
}
