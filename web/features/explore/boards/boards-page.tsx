import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { BoardSummary, NewBoard } from '../../../../src/client/types/dashboard.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatCount, formatTime } from '../../../lib/format.ts';
import { useMay } from '../../../lib/signed-in.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../../ui/table/data-table.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { boardsQuery } from './boards-query.ts';

const example: NewBoard = {
  name: 'Spend',
  time_range: { last: '7d' },
  panels: [{ title: 'Cost by model', chart: 'bars', metrics: ['cost'], by: ['model'] }],
};

/** Charts that somebody has put together. */
export function BoardsPage(): ReactNode {
  const { data, error } = useQuery(boardsQuery);
  const mayMake = useMay('write');
  const [making, setMaking] = useState<'named' | 'json'>();
  return (
    <Page
      title="Boards"
      about={data === undefined ? '' : `${formatCount(data.length)} ${data.length === 1 ? 'board' : 'boards'}`}
      actions={
        mayMake && (
          <>
            <Button kind="primary" onPress={() => setMaking('named')}>
              New board
            </Button>
            <Button kind="quiet" onPress={() => setMaking('json')}>
              From JSON
            </Button>
          </>
        )
      }
    >
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading boards" />
      ) : data.length === 0 ? (
        <Empty title="No board yet">
          <p className="muted">
            <Link to="/explore">Explore</Link> a question, then save it to a board.
          </p>
        </Empty>
      ) : (
        <DataTable label="Boards" isList columns={columns} rows={data} keyOf={({ id }) => id} />
      )}
      {making !== undefined && <NewBoardDialog isJson={making === 'json'} onClose={() => setMaking(undefined)} />}
    </Page>
  );
}

const columns: readonly DataColumn<BoardSummary>[] = [
  {
    id: 'name',
    title: 'Board',
    textOf: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/boards/$boardId" params={{ boardId: id }}>
        {name}
      </Link>
    ),
  },
  { id: 'panels', title: 'Panels', isNumber: true, cell: ({ panel_count: panels }) => formatCount(panels) },
  { id: 'changed', title: 'Changed', cell: ({ updated_at: at }) => formatTime(at, timeZone()) },
];

function NewBoardDialog({ isJson, onClose }: { readonly isJson: boolean; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const make = async (board: unknown): Promise<void> => {
    const { data } = await gatelog.boards.add(board as NewBoard);
    await queryClient.invalidateQueries({ queryKey: ['boards'] });
    await navigate({ to: '/boards/$boardId', params: { boardId: data.id } });
  };
  if (!isJson) {
    const named = (name: string): Promise<void> => make({ name, time_range: { last: '7d' }, panels: [] });
    return <RenameDialog title="New board" label="Name" name="" submit="Create" onSubmit={named} onClose={onClose} />;
  }
  return <JsonDialog title="New board from JSON" initial={example} submit="Create" onSubmit={make} onClose={onClose} />;
}
