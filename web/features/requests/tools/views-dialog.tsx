import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { gatelog } from '../../../lib/client.ts';
import { useMay } from '../../../lib/signed-in.ts';
import { rangeSearchOf, type RangeSearch } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { ConfirmButton } from '../../../ui/overlay/confirm-button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { type RequestsSearch, requestsSearchOf } from '../search.ts';
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
  const changed = () => queryClient.invalidateQueries({ queryKey: ['views'] });
  const save = async (): Promise<void> => {
    const known = Object.fromEntries(Object.entries(search).filter(([member, value]) => value !== undefined && !momentary.has(member)));
    await gatelog.views.add({ name: name.trim(), page: 'requests', search: known });
    setName('');
    await changed();
  };
  const remove = async (id: string): Promise<void> => {
    await gatelog.views.delete(id);
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
              <Link to="/requests" search={{ ...rangeSearchOf(view.search), ...requestsSearchOf(view.search) }} onClick={onClose}>
                <span className="clip" dir="auto" title={view.name}>
                  {view.name}
                </span>
              </Link>
              {maySave && (
                <ConfirmButton
                  title={`Delete ${view.name}`}
                  kind="quiet"
                  consequence="Its link shows the page all the same."
                  onConfirm={() => remove(view.id)}
                >
                  Delete
                </ConfirmButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {maySave ? (
        <Form label="Save a view" submit="Save this view" onSubmit={save} onCancel={onClose} isDisabled={name.trim() === ''}>
          <TextField label="Name" value={name} onChange={setName} placeholder="Failures of checkout" />
        </Form>
      ) : (
        <Button onPress={onClose}>Close</Button>
      )}
    </Dialog>
  );
}
