import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiKey } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { Button } from '../../ui/button.tsx';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Select } from '../../ui/select.tsx';
import { type Permission, permissionOptions } from './permissions.ts';

/** As the API bounds it. */
const maxName = 128;

function nameFault(name: string): string | undefined {
  return name.trim().length > maxName ? `Write at most ${maxName} characters.` : undefined;
}

function missingIn(name: string): string | undefined {
  if (name.trim() === '') return 'A key needs a name.';
  return nameFault(name) === undefined ? undefined : correctFields;
}

/** Makes a key and shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [permission, setPermission] = useState<Permission>('rw');
  const [issued, setIssued] = useState<string>();
  const queryClient = useQueryClient();
  const make = async (): Promise<void> => {
    const { data } = await gatelog.keys.create({ api_key_name: name.trim(), key_permissions: permission });
    setIssued(data.apiKey);
    await queryClient.invalidateQueries({ queryKey: ['api keys'] });
  };
  if (issued !== undefined) {
    return (
      <Dialog title="Your new key" isOpen onClose={onClose}>
        <p>Keep it where your programs find it. It is not shown again; gateways take it within a second.</p>
        <Secret label={name} text={issued} />
        <Actions>
          <Button kind="primary" onPress={onClose}>
            Done
          </Button>
        </Actions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" isOpen onClose={onClose}>
      <Form label="Create a key" submit="Create key" onSubmit={make} onCancel={onClose} missing={missingIn(name)}>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          fault={nameFault(name)}
          placeholder="checkout in production"
          autoFocus
          isRequired
        />
        <Select label="Permissions" isLabelShown value={permission} options={permissionOptions} onChange={setPermission} />
      </Form>
    </Dialog>
  );
}

/** Another name or other permissions. */
export function EditKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState(apiKey.api_key_name);
  const [permission, setPermission] = useState<Permission>(apiKey.key_permissions);
  const queryClient = useQueryClient();
  const change = async (): Promise<void> => {
    await gatelog.keys.change(apiKey.id, { api_key_name: name.trim(), key_permissions: permission });
    await queryClient.invalidateQueries({ queryKey: ['api keys'] });
    onClose();
  };
  return (
    <Dialog title="Change the key" isOpen onClose={onClose}>
      <Form label="Change the key" submit="Save changes" onSubmit={change} onCancel={onClose} missing={missingIn(name)}>
        <TextField label="Name" value={name} onChange={setName} fault={nameFault(name)} autoFocus isRequired />
        <Select label="Permissions" isLabelShown value={permission} options={permissionOptions} onChange={setPermission} />
      </Form>
    </Dialog>
  );
}
