import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApiKey, SignedIn } from '../../../src/client/client.ts';
import { apiKeyLimits } from '../../../src/model/vocabulary/limits.ts';
import { gatelog } from '../../lib/client.ts';
import { lengthFault } from '../../lib/name-faults.ts';
import { callerName, isPersonsOwn, useMay, useSignedIn } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Actions, Dialog } from '../../ui/overlay/dialog.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Select } from '../../ui/select.tsx';
import { type Permission, permissionOptions } from './permissions.ts';

const { nameCharacters: maxName } = apiKeyLimits;

function nameFault(name: string): string | undefined {
  return lengthFault(name, maxName);
}

function missingIn(name: string): string | undefined {
  if (name.trim() === '') return 'A key needs a name.';
  return nameFault(name) === undefined ? undefined : correctFields;
}

/** Makes a key and shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const signedIn = useSignedIn();
  const isPerson = isPersonsOwn(signedIn);
  const isAdmin = useMay('admin');
  const [name, setName] = useState(isPerson ? ownKeyName(signedIn) : '');
  const [permission, setPermission] = useState<Permission>(signedIn.key_permissions === 'r' ? 'r' : 'rw');
  const [isService, setIsService] = useState(false);
  const [issued, setIssued] = useState<string>();
  const queryClient = useQueryClient();
  const make = async (): Promise<void> => {
    const ofOrganization = isPerson && isService ? { service: true } : {};
    const { data } = await gatelog.keys.create({ api_key_name: name.trim(), key_permissions: permission, ...ofOrganization });
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
        <Select
          label="Permissions"
          isLabelShown
          value={permission}
          options={optionsOf(signedIn.key_permissions)}
          onChange={setPermission}
        />
        {isPerson && isAdmin && (
          <Checkbox isSelected={isService} onChange={setIsService}>
            Service key: it belongs to the organisation and stays if I leave
          </Checkbox>
        )}
      </Form>
    </Dialog>
  );
}

/** "Ada on Linux": what a person would call the key of this machine. */
function ownKeyName(signedIn: SignedIn): string {
  const [, system = 'this machine'] = /(Windows|Mac OS X|Android|iPhone|iPad|CrOS|Linux)/.exec(navigator.userAgent) ?? [];
  return `${callerName(signedIn)} on ${system.replace('Mac OS X', 'Mac').replace('CrOS', 'ChromeOS')}`.slice(0, maxName);
}

/** Nobody makes a key that may more than they. */
function optionsOf(own: Permission): typeof permissionOptions {
  const allowed: Readonly<Record<Permission, readonly Permission[]>> = {
    admin: ['rw', 'r', 'w', 'admin'],
    rw: ['rw', 'r', 'w'],
    r: ['r'],
    w: ['w'],
  };
  return permissionOptions.filter(({ value }) => allowed[own].includes(value));
}

/** Another name or other permissions. */
export function EditKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState(apiKey.api_key_name);
  const { key_permissions: own } = useSignedIn();
  const [permission, setPermission] = useState<Permission>(apiKey.key_permissions);
  const queryClient = useQueryClient();
  const change = async (): Promise<void> => {
    await gatelog.keys.change(apiKey.id, { api_key_name: name.trim(), key_permissions: permission });
    await queryClient.invalidateQueries({ queryKey: ['api keys'] });
    onClose();
  };
  return (
    <Dialog title="Edit the key" isOpen onClose={onClose}>
      <Form label="Edit the key" submit="Save changes" onSubmit={change} onCancel={onClose} missing={missingIn(name)}>
        <TextField label="Name" value={name} onChange={setName} fault={nameFault(name)} autoFocus isRequired />
        <Select label="Permissions" isLabelShown value={permission} options={optionsOf(own)} onChange={setPermission} />
      </Form>
    </Dialog>
  );
}
