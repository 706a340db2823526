import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { gatelog } from '../../../lib/client.ts';
import { metricTitle } from '../../../lib/metrics/metric-format.ts';
import { dimensionTitle } from '../../../lib/metrics/dimensions.ts';
import { savedNameFault } from '../../../lib/name-faults.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { correctionOf, Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { boardsQuery } from './boards-query.ts';
import { boardRangeOf, panelOf, type PanelQuery } from './panel.ts';

const newBoard = 'new';

export interface SavePanelProps {
  readonly query: PanelQuery;
  readonly range: RangeSearch;
  readonly onClose: () => void;
}

/** Puts what is explored on a board, a new one or one that there is. */
export function SavePanel({ query, range, onClose }: SavePanelProps): ReactNode {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { data: boards = [] } = useQuery(boardsQuery);
  const [title, setTitle] = useState(() => titleOf(query));
  const [boardId, setBoardId] = useState(newBoard);
  const [name, setName] = useState('');
  const isNew = boardId === newBoard;
  const [titleFault, nameFault] = [savedNameFault(title), savedNameFault(name)];
  const save = async (): Promise<void> => {
    const panel = panelOf(title.trim(), query);
    const id = isNew ? await made(name.trim(), panel, range) : await extended(boardId, panel);
    await queryClient.invalidateQueries({ queryKey: ['boards'] });
    await navigate({ to: '/boards/$boardId', params: { boardId: id } });
  };
  const options = [{ value: newBoard, label: 'New board' }, ...boards.map(({ id, name: label }) => ({ value: id, label }))];
  return (
    <Dialog title="Save to a board" isOpen onClose={onClose}>
      <Form
        label="Save to a board"
        submit="Save"
        onSubmit={save}
        onCancel={onClose}
        missing={
          title.trim() === ''
            ? 'A panel needs a title.'
            : isNew && name.trim() === ''
              ? 'A board needs a name.'
              : correctionOf(titleFault, isNew ? nameFault : undefined)
        }
      >
        <TextField label="Title" value={title} onChange={setTitle} fault={titleFault} isRequired />
        <Select label="Board" isLabelShown value={boardId} options={options} onChange={setBoardId} />
        {isNew && <TextField label="Name of the board" value={name} onChange={setName} fault={nameFault} placeholder="Spend" isRequired />}
      </Form>
    </Dialog>
  );
}

function titleOf({ metrics: [metric = 'count'], by }: PanelQuery): string {
  return by.length === 0 ? metricTitle(metric) : `${metricTitle(metric)} by ${by.map(dimensionTitle).join(', ')}`;
}

type Panel = ReturnType<typeof panelOf>;

async function made(name: string, panel: Panel, range: RangeSearch): Promise<string> {
  return (await gatelog.boards.add({ name, time_range: boardRangeOf(range), panels: [panel] })).data.id;
}

/** The version says which board the panel is added to: one that changed meanwhile is refused. */
async function extended(id: string, panel: Panel): Promise<string> {
  const { data: board } = await gatelog.boards.get(id);
  return (await gatelog.boards.replace(id, { ...board, panels: [...board.panels, panel] })).data.id;
}
