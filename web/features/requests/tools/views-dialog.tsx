import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gatelog } from '../../../lib/client.ts';
import { savedNameFault } from '../../../lib/name-faults.ts';
import { useMay } from '../../../lib/signed-in.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { correctionOf, Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import type { RequestsSearch } from '../search.ts';
import { SavedView } from './saved-view.tsx';
import styles from './tools.module.css';

/** What a view does not keep: it is of the moment. */
const momentary = new Set(['request', 'tab', 'live']);

export interface ViewsDialogProps {
  /** The state of the page, which a new view keeps. */
  readonly search: RequestsSearch & RangeSearch;
  readonly onClose: () => void;
}

/** States of the page under names, for all people of the organisation. The address of a view is its permanent link. */
export function ViewsDialog({ search, onClose }: ViewsDialogProps): ReactNode {
  const queryClient = useQueryClient();
  const maySave = useMay('write');
  const [name, setName] = useState('');
  const { data, error } = useQuery({
    queryKey: ['views', 'requests'],
    queryFn: async ({ signal }) => (await gatelog.views.list({ page: 'requests', signal })).data,
  });
  const fault = savedNameFault(name);
  const changed = () => queryClient.invalidateQueries({ queryKey: ['views'] });
  const save = async (): Promise<void> => {
    const known = Object.fromEntries(Object.entries(search).filter(([member, value]) => value !== undefined && !momentary.has(member)));
    await gatelog.views.add({ name: name.trim(), page: 'requests', search: known });
    setName('');
    await changed();
  };
  return (
    <Dialog title="Views" isOpen onClose={onClose}>
      <ErrorNotice error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : data.length === 0 ? (
        <p className="muted">No view is saved yet.</p>
      ) : (
        <ul className={styles['views']} aria-label="Saved views">
          {data.map((view) => (
            <li key={view.id}>
              <SavedView view={view} mayChange={maySave} onOpen={onClose} onChanged={changed} />
            </li>
          ))}
        </ul>
      )}
      {maySave ? (
        <Form
          label="Save a view"
          submit="Save this view"
          onSubmit={save}
          onCancel={onClose}
          missing={name.trim() === '' ? 'A view needs a name.' : correctionOf(fault)}
        >
          <TextField label="Name" value={name} onChange={setName} fault={fault} placeholder="Failures of checkout" />
        </Form>
      ) : (
        <Button onPress={onClose}>Close</Button>
      )}
    </Dialog>
  );
}
