import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Filter } from '../../../../src/client/client.ts';
import { anyOf, condition, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatCount } from '../../../lib/format.ts';
import { propertyNameFault, propertyValueFault } from '../../../lib/name-faults.ts';
import { useMay } from '../../../lib/signed-in.ts';
import { Button } from '../../../ui/button.tsx';
import { correctionOf, Form, Row } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import type { Column } from '../list/columns.tsx';
import { maxSelected, oldestFirst, type Selection } from '../list/use-selection.ts';
import { ExportDialog } from './export-dialog.tsx';
import styles from './tools.module.css';

export interface SelectionBarProps {
  readonly selection: Selection;
  readonly columns: readonly Column[];
}

/** What can be done with the requests that are selected. */
export function SelectionBar({ selection, columns }: SelectionBarProps): ReactNode {
  const [dialog, setDialog] = useState<'set' | 'remove' | 'export'>();
  const mayWrite = useMay('write');
  const ids = oldestFirst(selection.requests);
  const [first, ...others] = ids;
  if (first === undefined) return null;
  const close = (): void => setDialog(undefined);
  const filter = anyOf([isRequest(first), ...others.map(isRequest)]);
  return (
    <div className={styles['selection']} role="group" aria-label="Selected requests">
      <p aria-live="polite">
        {formatCount(ids.length)} selected{ids.length === maxSelected && ', the most at a time'}
      </p>
      {ids.length === 2 && (
        <LinkButton to="/requests/compare" search={{ left: first, right: others[0] }}>
          Compare
        </LinkButton>
      )}
      {mayWrite && <Button onPress={() => setDialog('set')}>Set a property</Button>}
      {mayWrite && <Button onPress={() => setDialog('remove')}>Remove a property</Button>}
      <Button onPress={() => setDialog('export')}>Export selected</Button>
      <Button kind="quiet" onPress={selection.clear}>
        Clear the selection
      </Button>
      <Dialog title={`Set a property of ${formatCount(ids.length)}`} isOpen={dialog === 'set'} onClose={close}>
        <SetProperty filter={filter} onEnd={close} />
      </Dialog>
      <Dialog title={`Remove a property of ${formatCount(ids.length)}`} isOpen={dialog === 'remove'} onClose={close}>
        <RemoveProperty filter={filter} onEnd={close} />
      </Dialog>
      {dialog === 'export' && <ExportDialog filter={filter} range={{ range: 'all' }} columns={columns} onClose={close} />}
    </div>
  );
}

function isRequest(id: string): FilterNode {
  return condition({ group: 'request_response_rmt', field: 'request_id' }, { family: 'text', operator: 'equals', value: id });
}

interface PropertyFormProps {
  readonly filter: FilterNode;
  readonly onEnd: () => void;
}

function SetProperty({ filter, onEnd }: PropertyFormProps): ReactNode {
  const change = useChange(filter, onEnd);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [nameFault, valueFault] = [propertyNameFault(name), propertyValueFault(value)];
  return (
    <Form
      label="Set a property"
      submit="Set"
      onSubmit={() => change({ set: { [name.trim()]: value } })}
      onCancel={onEnd}
      missing={name.trim() === '' ? 'A property needs a name.' : correctionOf(nameFault, valueFault)}
    >
      <Row>
        <TextField label="Name" value={name} onChange={setName} fault={nameFault} about="A property of this name is replaced." autoFocus />
        <TextField label="Value" value={value} onChange={setValue} fault={valueFault} />
      </Row>
    </Form>
  );
}

function RemoveProperty({ filter, onEnd }: PropertyFormProps): ReactNode {
  const change = useChange(filter, onEnd);
  const [name, setName] = useState('');
  const fault = propertyNameFault(name);
  return (
    <Form
      label="Remove a property"
      submit="Remove"
      onSubmit={() => change({ remove: [name.trim()] })}
      onCancel={onEnd}
      missing={name.trim() === '' ? 'Which property? Write its name.' : correctionOf(fault)}
    >
      <TextField label="Name" value={name} onChange={setName} fault={fault} about="Requests that lack it stay as they are." autoFocus />
    </Form>
  );
}

/** New values of properties by their names, and names of properties that go. */
interface Changed {
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

/** Changes properties of all that a filter finds, and shows them as they are then. */
function useChange(filter: FilterNode, onEnd: () => void): (changed: Changed) => Promise<void> {
  const queryClient = useQueryClient();
  return async (changed) => {
    const { data: job } = await gatelog.requests.change({ filter: filterJson(filter) as Filter, ...changed });
    const { state, error } = await gatelog.jobs.ended(job);
    if (state !== 'done') throw new Error(error ?? `The job that changes the property ended as ${state}.`);
    for (const shown of ['requests', 'request', 'properties']) void queryClient.invalidateQueries({ queryKey: [shown] });
    onEnd();
  };
}
