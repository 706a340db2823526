import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { NewProviderKey, ProviderKey } from '../../../src/client/types/settings.ts';
import { addressedProviders } from '../../../src/model/providers/providers.ts';
import { gatelog } from '../../lib/client.ts';
import { formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { providerKeyFaults, type TypedProviderKey } from './provider-key-faults.ts';

/** Keys of providers that the gateway keeps, so that callers need only a key of their own. */
export function ProviderKeysPage(): ReactNode {
  const mayChange = useMay('admin');
  const [isAdding, setIsAdding] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['provider keys'],
    queryFn: async ({ signal }) => (await gatelog.providerKeys.list({ signal })).data,
  });
  return (
    <Page
      title="Provider keys"
      about="The gateway sends them for callers that have none"
      actions={mayChange && <Button onPress={() => setIsAdding(true)}>Add a key</Button>}
    >
      {!mayChange && <Notice>You may read this list. Adding and deleting keys of providers requires the admin permission.</Notice>}
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading keys of providers" />
      ) : data.length === 0 ? (
        <Empty title="No key of a provider is kept here">
          <p className="muted">Without one, callers send their own in the header that their provider takes.</p>
        </Empty>
      ) : (
        <Keys keys={data} mayChange={mayChange} />
      )}
      {isAdding && <NewKey stored={data ?? []} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function Keys({ keys, mayChange }: { readonly keys: readonly ProviderKey[]; readonly mayChange: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const remove = async (id: string): Promise<void> => {
    await gatelog.providerKeys.delete(id);
    await queryClient.invalidateQueries({ queryKey: ['provider keys'] });
  };
  const columns: readonly DataColumn<ProviderKey>[] = [
    { id: 'provider', title: 'Provider', cell: ({ provider }) => provider },
    { id: 'name', title: 'Name', textOf: nameOf, cell: nameOf },
    { id: 'hint', title: 'Ends with', cell: ({ hint }) => (hint === null ? '' : <code>…{hint}</code>) },
    { id: 'made', title: 'Added', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    {
      id: 'state',
      title: 'State',
      cell: ({ readable }) => (
        <Badge kind={readable ? 'good' : 'bad'}>{readable ? 'ready' : 'unreadable: saved under another secret'}</Badge>
      ),
    },
    ...(mayChange
      ? [
          {
            id: 'delete',
            title: 'Actions',
            head: <span className="visually-hidden">Actions</span>,
            cell: (key: ProviderKey) => (
              <ConfirmButton
                title={`Delete the key of ${key.provider}`}
                kind="quiet"
                consequence="Calls that need it are refused from then on."
                onConfirm={() => remove(key.id)}
              >
                Delete
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  return <DataTable label="Keys of providers" columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function nameOf({ name }: ProviderKey): string {
  return name ?? 'default';
}

interface NewKeyProps {
  readonly stored: readonly ProviderKey[];
  readonly onClose: () => void;
}

const providerList = 'provider-names';

function missingIn({ provider, key }: TypedProviderKey, isWrong: boolean): string | undefined {
  if (isWrong) return correctFields;
  return key.trim() === '' || provider.trim() === '' ? 'Enter the provider and its key.' : undefined;
}

function NewKey({ stored, onClose }: NewKeyProps): ReactNode {
  const [provider, setProvider] = useState('openai');
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const queryClient = useQueryClient();
  const add = async (): Promise<void> => {
    const wanted = provider.trim().toLowerCase() as NewProviderKey['provider'];
    await gatelog.providerKeys.add({ provider: wanted, key: key.trim(), name: name.trim() === '' ? null : name.trim() });
    await queryClient.invalidateQueries({ queryKey: ['provider keys'] });
    onClose();
  };
  const typed = { provider, key, name };
  const faults = providerKeyFaults(typed, stored);
  const isWrong = Object.values(faults).some((fault) => fault !== undefined);
  return (
    <Dialog title="Add a key of a provider" isOpen onClose={onClose}>
      <Form
        label="Add a key of a provider"
        submit="Add the key"
        onSubmit={add}
        onCancel={onClose}
        missing={missingIn(typed, isWrong)}
        value={JSON.stringify(typed)}
      >
        <TextField
          label="Provider"
          value={provider}
          onChange={setProvider}
          about="As in paths: openai, anthropic, gemini, azure …"
          list={providerList}
          fault={faults.provider}
          isRequired
        />
        <TextField
          label="Key"
          type="password"
          value={key}
          onChange={setKey}
          about="It is encrypted at once and never shown again"
          fault={faults.key}
          isRequired
        />
        <TextField label="Name" value={name} onChange={setName} about="Tells several keys of one provider apart" fault={faults.name} />
        <datalist id={providerList}>
          {addressedProviders.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </datalist>
      </Form>
    </Dialog>
  );
}
